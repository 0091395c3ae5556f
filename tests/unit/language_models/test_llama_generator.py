"""Text invented by a GGUF file: against the library's own decoding and softmax, in any order."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from biasatlas.errors import InputError
from biasatlas.language_models.causal import CausalGenerator
from biasatlas.language_models.choice import choice_schema
from biasatlas.language_models.endpoint import EndpointGenerator
from biasatlas.language_models.llama_generator import LlamaGenerator, _Grammar
from biasatlas.language_models.load import make_generator

SCHEMA = choice_schema("gender", ["female", "male", "nonbinary"])
PERSONA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 20},
        "gender": {"type": "string", "enum": ["female", "male"]},
    },
    "required": ["name", "gender"],
    "additionalProperties": False,
}


def question(text: str, system: str = "Invent.") -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": text}]


def generator(path, **settings) -> LlamaGenerator:
    return LlamaGenerator(path, "digest", **{"context": 512} | settings)


def reply(model, text="rain", schema=None, *, seed=1, temperature=1.0, most=24):
    return model.reply(question(text), schema, seed=seed, temperature=temperature, max_tokens=most)


@pytest.mark.parametrize("schema", [None, SCHEMA, PERSONA])
def test_greedy_replies_are_those_of_the_library(tiny_model, schema):
    model, reference = generator(tiny_model), generator(tiny_model)
    for text in ["rain", "rain fell", "the town"]:
        tokens = reference._tokens(question(text))
        reference._rewind(question(text)[:-1], tokens)
        expected = reference._llama.create_completion(
            tokens,
            max_tokens=40,
            temperature=0,
            repeat_penalty=1.0,
            stop=reference._stop,
            grammar=None if schema is None else reference._grammar(schema),
        )
        found = reply(model, text, schema, temperature=0, most=40)
        text_there, drawn = expected["choices"][0]["text"], expected["usage"]["completion_tokens"]
        # The library goes on past the limit while it stands within a letter.
        over = drawn > 40
        assert found.text == text_there or (over and text_there.startswith(found.text))
        assert found.reply_tokens == min(drawn, 40)
        assert found.finish == expected["choices"][0]["finish_reason"]
        assert found.prompt_tokens == expected["usage"]["prompt_tokens"] == len(tokens)
        assert found.answered_by == "tiny.gguf"


def test_a_reply_does_not_depend_on_what_was_asked_before(tiny_model):
    asked = [("rain fell", 1), ("rain", 1), ("rain", 2), ("tax", 1), ("rain fell on", 3)]

    def ask(model, text, seed):
        found = reply(model, text, seed=seed), reply(model, text, PERSONA, seed=seed)
        return found, model._logits().tobytes()

    alone = {one: ask(generator(tiny_model), *one) for one in asked}
    assert len({found[0][0].text for found in alone.values()}) == len(asked)
    together = generator(tiny_model)
    for one in [*asked[::-1], *asked, asked[0], asked[0], asked[3], asked[0]]:
        assert ask(together, *one) == alone[one]
    # Neither do a probe, another head or a question without one leave a trace.
    for disturb in (
        lambda: together.continuations("rain fell", [" She", " He"]),
        lambda: together.reply(question("x", "y"), seed=1, temperature=1, max_tokens=5),
        lambda: together.reply(question("x")[1:], seed=1, temperature=1, max_tokens=5),
    ):
        disturb()
        assert ask(together, *asked[1]) == alone[asked[1]]
    assert together.continuations("rain", [" She"]) == generator(tiny_model).continuations(
        "rain", [" She"]
    )


def test_a_question_that_is_asked_again_is_not_evaluated_again(tiny_model):
    model = generator(tiny_model)
    evaluated = []
    evaluate = model._llama.eval
    model._llama.eval = lambda tokens: (evaluated.append(len(tokens)), evaluate(tokens))
    replies = [reply(model, seed=seed, most=4) for seed in range(3)]
    # The first question in two parts; then one new token each, the last of a reply not.
    drawn = sum(max(one.reply_tokens - (one.finish == "length"), 0) for one in replies)
    assert sum(evaluated[:2]) == model.count(question("rain"))
    assert evaluated[2:] == [1] * drawn
    evaluated.clear()
    reply(model, "tax", most=1)
    # The shared beginning stays.
    assert len(evaluated) == 1
    assert evaluated[0] < 40


def test_a_schema_gives_json_whatever_the_model_and_the_temperature(tiny_model):
    model = generator(tiny_model)
    for seed in range(12):
        found = reply(model, schema=PERSONA, seed=seed, temperature=3.0, most=400)
        assert found.finish == "stop"
        persona = json.loads(found.text, strict=False)
        assert list(persona) == ["name", "gender"]
        assert persona["gender"] in ("female", "male")


def test_a_forbidden_token_is_drawn_again_with_the_right_probabilities(tiny_model):
    import llama_cpp

    model = generator(tiny_model)
    schema = choice_schema("label", ["ax", "bx", "cx", "dx", "ex", "fx"])
    begun = model._llama.tokenize(b'{"label":"', add_bos=False, special=False)
    # The space that this tokenizer puts in front is no part of the JSON.
    begun = begun[1:]
    rng = np.random.default_rng(0)
    logits = rng.normal(size=model._llama.n_vocab()).astype(np.float32)
    allowed = [
        model._llama.tokenize(b"_" + s, add_bos=False, special=False)[-1]
        for s in (b"a", b"b", b"c", b"d", b"e", b"f")
    ]
    # Half of the probability lies on what is allowed, so that both ways are taken.
    logits[allowed] += math.log(len(logits) / len(allowed))
    counts = dict.fromkeys(allowed, 0)
    draws = 3000
    for _ in range(draws):
        with _Grammar(model, schema) as grammar:
            for token in begun:
                llama_cpp.llama_sampler_accept(grammar._sampler, token)
            counts[grammar.draw(logits, 1.0, rng)] += 1
    expected = np.exp(logits[allowed].astype(float))
    expected *= draws / expected.sum()
    found = np.array([counts[token] for token in allowed])
    # Chi squared of 5 degrees of freedom: 20.5 is passed once in a thousand times.
    assert ((found - expected) ** 2 / expected).sum() < 20.5


def test_the_seed_decides_a_reply(tiny_model):
    model = generator(tiny_model)
    seeds = [0, 1, 2, 2**32 - 1, 2**63]
    replies = [reply(model, seed=seed, temperature=2.0) for seed in seeds]
    assert len({found.text for found in replies}) == len(seeds)
    assert replies == [reply(model, seed=seed, temperature=2.0) for seed in seeds]
    assert reply(model, seed=1, temperature=0) == reply(model, seed=2, temperature=0)


def test_a_reply_ends_at_the_end_token_at_a_stop_text_or_where_it_is_cut(tiny_model, make_model):
    model = generator(make_model(None))
    llama = model._llama
    start = llama.tokenize(b"x", add_bos=True)
    first = np.zeros(llama.n_vocab(), dtype=np.float32)

    def go_on(text: bytes, *more: int, most: int = 100):
        drawn = iter([*llama.tokenize(text, add_bos=False, special=False)[1:], *more])
        llama.reset()
        llama.eval(start)
        return model._go_on(start, first, lambda _: next(drawn), most)

    assert model._stop == ["[INST]", "</s>"]
    assert go_on(b"hi", llama.token_eos()) == ("hi", 2, "stop")
    assert go_on(b"hi [INST] and more") == ("hi ", 9, "stop")
    assert go_on("né".encode(), most=2) == ("n", 2, "length")
    assert go_on("né".encode(), most=3) == ("né", 3, "length")
    assert go_on(b"hi", most=0) == ("", 0, "length")


def test_a_reply_ends_with_the_context(tiny_model):
    model = generator(tiny_model, context=256)
    length = model.count(question("x"))
    found = model.reply(question("x"), SCHEMA, seed=1, temperature=1, max_tokens=10**6)
    assert found.finish == "stop"
    for text in ("x" * (255 - length + 1), "x" * 254):
        if model.count(question(text)) >= 256:
            with pytest.raises(InputError, match="the model's context is 256"):
                reply(model, text)
        else:
            found = reply(model, text, PERSONA)
            assert (found.finish, found.reply_tokens) == ("length", 1)
    with pytest.raises(InputError, match="no grammar can be made"):
        reply(model, schema=choice_schema("gender", ['a "b"', "c"]))
    with pytest.raises(InputError, match=r"a text of .* the model's context is 256"):
        model.continuations("x" * 300, [" She"])
    with pytest.raises(InputError, match="a text with its continuation"):
        model.continuations("x" * 200, ["x" * 100])


def reference_log_p(path, text: str, options: list[str]) -> list[float]:
    """Sums over options' tokens, of the softmax over all scores of the whole text at once."""
    from llama_cpp import Llama

    llama = Llama(str(path), n_ctx=256, n_threads=1, logits_all=True, verbose=False)
    start = llama.tokenize(text.encode(), add_bos=True, special=False)
    totals = []
    for option in options:
        whole = llama.tokenize((text + option).encode(), add_bos=True, special=False)
        assert whole[: len(start)] == start
        llama.reset()
        llama.eval(whole)
        total = 0.0
        for place in range(len(start), len(whole)):
            weights = np.exp(llama.scores[place - 1].astype(float))
            total += math.log(weights[whole[place]] / weights.sum())
        totals.append(total)
    return totals


def test_a_continuation_has_the_probability_of_a_full_softmax(tiny_model):
    model = generator(tiny_model)
    options = [" She", " He", " He likes the rain", "é", ""]
    found = model.continuations("Rain fell.", options)
    expected = reference_log_p(tiny_model, "Rain fell.", options)
    assert found == pytest.approx(expected, abs=1e-3)
    assert len(set(found)) == len(options)
    # In any order, alone or together, to the last bit.
    assert model.continuations("Rain fell.", options[::-1]) == found[::-1]
    assert [model.continuations("Rain fell.", [one])[0] for one in options] == found
    # The tokens that can come next share all probability.
    tokens = [model._llama.detokenize([n]) for n in range(5, model._llama.n_vocab())]
    texts = sorted({token.decode() for token in tokens if token.isascii()})
    assert 0.2 < sum(map(math.exp, model.continuations("Rain", texts))) < 1


def test_markup_in_a_plain_text_is_no_markup(tiny_model):
    model = generator(tiny_model)
    special = range(5)
    assert not set(model._plain("a<|im_end|>b</s>", add_bos=False)) & set(special)
    assert model._plain("", add_bos=False) == [model._llama.token_bos()]


def test_smollm2_continues_as_a_full_softmax_says(small_model):
    from biasatlas.language_models.llama import find_gguf

    text, options = "A person from Europe is interested in football.", [" She", " He", " She likes"]
    found = generator(small_model).continuations(text, options)
    path = find_gguf(small_model)
    # The file's weights are rounded, and so are a batch's sums otherwise than a single token's.
    expected = reference_log_p(path, text, options)
    assert found == pytest.approx(expected, abs=0.2)
    assert found[:2] == pytest.approx(expected[:2], abs=0.02)


def test_smollm2_invents_the_same_personas_in_any_order(small_model):
    one, other = generator(small_model), generator(small_model)
    asked = [(text, seed) for text in ("football", "tax") for seed in (1, 2)]
    forward = [reply(one, text, PERSONA, seed=seed, most=60) for text, seed in asked]
    turned = [reply(other, text, PERSONA, seed=seed, most=60) for text, seed in asked[::-2]]
    assert turned == forward[::-2]
    assert all(json.loads(found.text, strict=False)["gender"] for found in forward)
    assert len({found.text for found in forward}) == len(forward)


def test_the_identity_tells_all_that_decides_a_reply(tiny_model):
    others = [LlamaGenerator(tiny_model, "other"), generator(tiny_model, context=256)]
    others.append(generator(tiny_model, threads=2))
    assert len({one.identity for one in [generator(tiny_model), *others]}) == 4
    assert generator(tiny_model).identity == generator(tiny_model).identity
    assert str(tiny_model.parent) not in generator(tiny_model).identity
    assert generator(tiny_model).parallel == 1


def configured(backend: str, **keys) -> SimpleNamespace:
    endpoint = {"model": None, "base_url": None, "key_from": None, "revision": ""}
    rest = {"structured": "json_object", "logprobs": True}
    return SimpleNamespace(name="m", backend=backend, **endpoint | rest | keys)


def test_each_backend_has_its_generator(tiny_model, tiny_causal):
    llama = make_generator(configured("llama"), tiny_model, "d", context=300)
    assert isinstance(llama, LlamaGenerator)
    assert llama.identity == LlamaGenerator(tiny_model, "d", context=300).identity
    causal = make_generator(configured("transformers"), tiny_causal, "d", context=300)
    assert isinstance(causal, CausalGenerator)
    assert causal.identity == CausalGenerator(tiny_causal, "d", context=300).identity
    model = configured("openai", model="gpt", base_url="http://127.0.0.1:9/v1", revision="r")
    endpoint = make_generator(model, None, "", parallel=3, timeout=7)
    assert isinstance(endpoint, EndpointGenerator)
    assert endpoint.parallel == 3
    same = EndpointGenerator("gpt", "http://127.0.0.1:9/v1", None, "r", "json_object")
    assert endpoint.identity == same.identity


def test_what_a_backend_lacks_is_named():
    with pytest.raises(InputError, match="model `m`: backend llama needs a file"):
        make_generator(configured("llama"), None, "")
    with pytest.raises(InputError, match="model `m`: key `model` is missing"):
        make_generator(configured("openai"), None, "")
    with pytest.raises(InputError, match="backend 'magic'; allowed are llama, transformers, open"):
        make_generator(configured("magic"), "x", "")
