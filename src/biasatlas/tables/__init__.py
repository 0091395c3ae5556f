"""The tables of the workflow: their schemas, and the only way to read and write them.

``python -m biasatlas.tables`` prints the page that describes them.
"""

from biasatlas.tables.catalogue import TABLES
from biasatlas.tables.columns import Column, Table
from biasatlas.tables.page import markdown
from biasatlas.tables.schemas import check_table, schema
from biasatlas.tables.storage import empty_table, read_table, write_table

__all__ = [
    "TABLES",
    "Column",
    "Table",
    "check_table",
    "empty_table",
    "markdown",
    "read_table",
    "schema",
    "write_table",
]
