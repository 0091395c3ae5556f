"""Word vectors: training, files, and looking words up."""

from biasatlas.vectors.store import WordVectors, load_vectors, save_word2vec

__all__ = ["WordVectors", "load_vectors", "save_word2vec"]
