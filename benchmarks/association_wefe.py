"""Time wefe's WEAT on vectors that association.py wrote; run by it in wefe's own Python."""

import sys
import time

import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel


def main() -> None:
    """Print one Markdown row a size and part."""
    arrays = np.load(sys.argv[1], allow_pickle=False)
    for n in map(int, sys.argv[2:]):
        words, rows = [], []
        for name in "xyab":
            words += [f"{name}{place}" for place in range(n)]
            rows.append(arrays[f"{name}{n}"])
        vectors = KeyedVectors(rows[0].shape[1])
        vectors.add_vectors(words, np.vstack(rows).astype(np.float32))
        model = WordEmbeddingModel(vectors, "random")
        sets = [words[place * n : (place + 1) * n] for place in range(4)]
        query = Query(sets[:2], sets[2:])
        parts = {"d alone": {}, "with p, 1,000 iterations": {"calculate_p_value": True}}
        for part, options in parts.items():
            if options:
                options = {**options, "p_value_iterations": 1_000}
            start = time.process_time()
            result = WEAT().run_query(query, model, return_effect_size=True, **options)
            seconds = time.process_time() - start
            p = result.get("p_value")
            shown = f"d {result['effect_size']:.3f}" + ("" if p is None else f", p {p:.3g}")
            sys.stdout.write(f"| {n} v {n} | {part} | {seconds:.2g} s | {shown} |\n")


if __name__ == "__main__":
    main()
