"""CPU time of topic coherence, ours and gensim's, on the same tokens in one run.

    python benchmarks/coherence.py passages.parquet
    python benchmarks/coherence.py passages.parquet --passages 2000 --join 5

The Parquet file has a column text. The topics are random: ten words each, of those that at least
20 passages hold. Prints a Markdown table: gensim's seconds from ready tokens and dictionary on and
ours from texts on, then both from texts on, and the largest difference of a topic's value.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from biasatlas.tokens import stop_words, topic_tokens
from biasatlas.topics.coherence import c_v, u_mass
from biasatlas.topics.sliding_window import count_windows, find_occurrences

MEASURES = {"u_mass": u_mass, "c_v": c_v}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and what the work gives."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def random_topics(tokens: list[list[str]], language: str, n: int) -> dict[int, list[str]]:
    """Topics of ten words that at least 20 passages hold (or two, in a small file)."""
    counts = Counter(word for some in tokens for word in set(some))
    least = 20 if len(tokens) > 1000 else 2
    words = sorted({word for word, k in counts.items() if k >= least} - stop_words(language))
    rng = np.random.default_rng(0)
    return {topic: list(rng.choice(words, 10, replace=False)) for topic in range(n)}


def by_gensim(
    measure: str, topics: dict[int, list[str]], tokens: list[list[str]], dictionary: Any
) -> list[float]:
    """gensim's values, in one process."""
    from gensim.models import CoherenceModel

    return CoherenceModel(
        topics=list(topics.values()),
        texts=tokens,
        corpus=[dictionary.doc2bow(some) for some in tokens] if measure == "u_mass" else None,
        dictionary=dictionary,
        coherence=measure,
        topn=10,
        processes=1,
    ).get_coherence_per_topic()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--topics", type=int, default=60)
    parser.add_argument("--join", type=int, default=1, help="passages joined into one text")
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    texts = list(pd.read_parquet(options.path, columns=["text"])["text"].head(options.passages))
    texts = [" ".join(texts[i : i + options.join]) for i in range(0, len(texts), options.join)]
    from gensim.corpora import Dictionary

    making, tokens = timed(lambda: [topic_tokens(text, options.language) for text in texts])
    topics = random_topics(tokens, options.language, options.topics)
    indexing, dictionary = timed(lambda: Dictionary(tokens))
    # Compiling is no part of a second run.
    c_v({0: ["one", "two"]}, ["one two"])
    print(
        f"{len(texts)} texts of {np.mean([len(some) for some in tokens]):.0f} topic tokens, ",
        end="",
    )
    print(f"{len(topics)} topics; tokens take {making:.2f} s, a dictionary {indexing:.2f} s\n")
    heads = "gensim s, from tokens | from texts | ours s, from texts | ratio | ratio | difference"
    print(f"| | {heads} |\n|" + " --- |" * 7)
    for name, measure in MEASURES.items():
        theirs, reference = timed(lambda name=name: by_gensim(name, topics, tokens, dictionary))
        ours, found = timed(lambda measure=measure: measure(topics, texts, options.language))
        difference = np.abs(np.array(list(found.values())) - reference).max()
        whole = making + indexing + theirs
        cells = [f"{theirs:.2f}", f"{whole:.2f}", f"{ours:.2f}", f"{theirs / ours:.1f}x"]
        print(f"| {name} | {' | '.join([*cells, f'{whole / ours:.1f}x', f'{difference:.0e}'])} |")
    vocabulary = sorted({word for words in topics.values() for word in words})
    occurrences = find_occurrences(texts, vocabulary, options.language)
    counting, _ = timed(lambda: count_windows(occurrences, 110))
    print(f"\ncounting the windows of c_v alone: {counting:.3f} s")


if __name__ == "__main__":
    main()
