"""Replies a second of a GGUF model: create_chat_completion of llama-cpp-python, and ours.

    python benchmarks/personas.py
    python benchmarks/personas.py --model resources/fetched/smollm2_135m --topics 6 --runs 7

Both are asked the same questions of the form `paper` at temperature 0.8, with the JSON schema, on
one thread, topic by topic in turn. They draw with other random numbers, so replies differ in length:
read the milliseconds a token. Prints a Markdown table; CPU seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from biasatlas.language_models.asking import Question
from biasatlas.language_models.llama import find_gguf
from biasatlas.language_models.llama_generator import LlamaGenerator
from biasatlas.personas.forms import load_forms, load_neutral_topics

PROMPTS = Path("resources/prompts/personas/en")
TEMPERATURE, MAX_TOKENS, CONTEXT = 0.8, 160, 1024
Ask = Callable[[Question], int]


def by_library(path: Path) -> Ask:
    """Tokens of a reply, as a user of the library would ask for it."""
    from llama_cpp import Llama

    llama = Llama(
        str(find_gguf(path)), n_ctx=CONTEXT, n_threads=1, n_threads_batch=1, verbose=False
    )

    def ask(question: Question) -> int:
        answer = llama.create_chat_completion(
            [dict(message) for message in question.messages],
            temperature=TEMPERATURE,
            top_p=1.0,
            top_k=0,
            min_p=0.0,
            repeat_penalty=1.0,
            seed=question.seed,
            max_tokens=MAX_TOKENS,
            response_format={"type": "json_object", "schema": question.schema},
        )
        return int(answer["usage"]["completion_tokens"])

    return ask


def by_us(path: Path) -> Ask:
    """Tokens of a reply of the project's generator."""
    generator = LlamaGenerator(path, "", context=CONTEXT)

    def ask(question: Question) -> int:
        reply = generator.reply(
            question.messages,
            question.schema,
            seed=question.seed,
            temperature=TEMPERATURE,
            max_tokens=MAX_TOKENS,
        )
        return reply.reply_tokens

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, default=Path("resources/fetched/smollm2_135m"))
    parser.add_argument("--topics", type=int, default=6)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    (form,) = load_forms(PROMPTS, ["paper"])
    topics = load_neutral_topics(PROMPTS)[: options.topics]
    ways = {"llama-cpp-python": by_library(options.model), "ours": by_us(options.model)}
    spent = dict.fromkeys(ways, 0.0)
    tokens = dict.fromkeys(ways, 0)
    for ask in ways.values():
        ask(Question(form.messages("Europe", "tea"), form.schema, 0))
    for number, topic in enumerate(topics):
        for name, ask in ways.items():
            for run in range(options.runs):
                question = Question(form.messages("Europe", topic), form.schema, 100 * number + run)
                begun = time.process_time()
                tokens[name] += ask(question)
                spent[name] += time.process_time() - begun
    asked = len(topics) * options.runs
    print(f"{asked} replies each.\n")
    print("| | seconds a reply | milliseconds a token | times as fast a token |")
    print("| --- | ---: | ---: | ---: |")
    slow = spent["llama-cpp-python"] / tokens["llama-cpp-python"]
    for name in ways:
        each = spent[name] / tokens[name]
        print(f"| {name} | {spent[name] / asked:.2f} | {1000 * each:.1f} | {slow / each:.2f} |")


if __name__ == "__main__":
    main()
