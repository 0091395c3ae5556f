"""The configuration: its keys, their defaults, and messages that say what is allowed."""

from biasatlas.config.corpora import Corpus, Region, Source
from biasatlas.config.load import load_config, validate
from biasatlas.config.models import Config

__all__ = ["Config", "Corpus", "Region", "Source", "load_config", "validate"]
