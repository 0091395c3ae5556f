"""Write the schema and the documentation page that the configuration models define."""

from pathlib import Path

from biasatlas.config.documents import configuration_page, configuration_schema
from biasatlas.files import write_text

root = Path(__file__).parents[3]
write_text(configuration_schema(), root / "workflow" / "schemas" / "config.schema.yaml")
write_text(configuration_page(), root / "docs" / "configuration.md")
