"""Keys of the labels of topics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from biasatlas.config.section import Name, PathText, Positive, Section


class Labels(Section):
    """Labels of topics by a language model that runs on this machine (docs/labels.md)."""

    model: Name | None = "smollm2_135m"
    """Asset with a GGUF model (llama2_7b_chat_gguf in the paper); null: the nearest phrase is the label, and llama-cpp-python is not needed."""
    mode: Literal["choose", "write"] = "choose"
    """choose: the model chooses among phrases of the topic, all that a small one can do; write: it writes at most five words (the paper's, for models of 7B)."""
    second: Name | None = None
    """A second labeller, to compare with (the paper's appendix I)."""
    second_mode: Literal["choose", "write"] = "choose"
    """The same for the second labeller."""
    prompts: PathText = "resources/prompts/labels"
    """Folder with the folders choose and write, each with system.txt, example.yaml and main.txt."""
    phrases: Annotated[int, Field(ge=2, le=6, strict=True)] = 3
    """Phrases of the topic to choose from, the nearest first."""
    documents: Annotated[int, Field(ge=0, strict=True)] = 3
    """Passages of the topic that the model is shown, where the prompt main.txt asks for them."""
    document_tokens: Positive = 60
    """Most tokens of such a passage."""
    most_words: Positive = 5
    """Most words of a written label; a longer one has failed."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.1
    """Near 0: the most probable reply."""
    max_tokens: Positive = 500
    """Most new tokens of a reply."""
    repeat_penalty: Annotated[float, Field(ge=0.5, le=2)] = 1.1
    """Above 1 makes tokens of the reply less probable again."""
    context: Annotated[int, Field(ge=256, strict=True)] = 2_048
    """Tokens of question and reply together; passages are cut to it."""
