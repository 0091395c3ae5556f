"""The atlas: one self-contained page that shows what a run found."""

from biasatlas.atlas.page import build_language_page, build_languages_page, build_page
from biasatlas.atlas.parts import DataTable, Figure, Section

__all__ = [
    "DataTable",
    "Figure",
    "Section",
    "build_language_page",
    "build_languages_page",
    "build_page",
]
