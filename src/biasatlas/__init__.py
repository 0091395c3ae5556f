"""Region-aware gender-bias dimensions, association tests and the atlas that shows them."""

__version__ = "0.1.0"
