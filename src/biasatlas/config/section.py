"""What every part of the configuration is made of: types with limits, and strict mappings."""

from __future__ import annotations

import os.path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", strict=True)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$", strict=True)]
PathText = Annotated[StrictStr, AfterValidator(os.path.expanduser)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**31, strict=True)]


class Section(BaseModel):
    """A mapping in the configuration that knows all its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
