"""Vectors of texts and words from pretrained models, each independent of its company."""
