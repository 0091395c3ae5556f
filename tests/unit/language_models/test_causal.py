"""Text of a causal model of transformers: against the library's own decoding, and by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.language_models.causal import CausalGenerator
from biasatlas.language_models.choice import choice_schema
from biasatlas.language_models.sampling import draw_token, log_probability

SCHEMA = choice_schema("gender", ["female", "male"])


def question(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "Invent."}, {"role": "user", "content": text}]


def generator(path, **settings) -> CausalGenerator:
    return CausalGenerator(path, "digest", **{"context": 512} | settings)


def reply(model, text="rain", *, seed=1, temperature=1.0, most=24):
    return model.reply(question(text), SCHEMA, seed=seed, temperature=temperature, max_tokens=most)


def scores(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_tokens_are_drawn_by_their_probability_at_the_temperature():
    # At temperature 2 the odds of 1 : 4 : 16 become 1 : 2 : 4.
    logits = scores(0, math.log(4), -math.inf, math.log(16))
    rng = np.random.default_rng(0)
    drawn = np.bincount([draw_token(logits, 2.0, rng) for _ in range(7000)], minlength=4)
    # 5 standard deviations of the widest of them.
    assert drawn == pytest.approx([1000, 2000, 0, 4000], abs=5 * math.sqrt(7000 / 4))
    assert drawn[2] == 0
    at_one = np.bincount([draw_token(logits, 1.0, rng) for _ in range(7000)], minlength=4)
    assert at_one == pytest.approx(np.array([1, 4, 0, 16]) * 7000 / 21, abs=210)


def test_temperature_0_takes_the_most_probable_token_and_no_random_number():
    rng = np.random.default_rng(0)
    assert draw_token(scores(1, 3, 3, 2), 0, rng) == 1
    assert rng.random() == np.random.default_rng(0).random()
    # The least and the greatest random number stay within what has a probability.
    for number in (0.0, math.nextafter(1, 0)):
        fixed = type("Fixed", (), {"random": lambda self, n=number: n})()
        assert draw_token(scores(-math.inf, 0, 0, -math.inf), 1.0, fixed) in (1, 2)
        assert draw_token(scores(-math.inf, 5, -math.inf), 0.01, fixed) == 1


@pytest.mark.parametrize("bad", [[math.nan, 1], [-math.inf, -math.inf], [math.inf, 0]])
def test_scores_that_are_no_numbers_are_an_error(bad):
    with pytest.raises(InputError, match="no numbers as scores"):
        draw_token(scores(*bad), 1.0, np.random.default_rng(0))


@given(st.lists(st.floats(-200, 200, width=32), min_size=1, max_size=30))
def test_probabilities_of_all_tokens_add_up_to_1(values):
    logits = scores(*values)
    logs = [log_probability(logits, token) for token in range(len(values))]
    assert math.fsum(map(math.exp, logs)) == pytest.approx(1)
    assert max(logs) <= 1e-9
    assert logs[-1] - logs[0] == pytest.approx(float(logits[-1]) - float(logits[0]), abs=1e-9)


def test_a_reply_depends_on_its_question_and_seed_alone(tiny_causal):
    asked = [("rain", 1), ("rain", 2), ("the town", 1), ("rain fell", 2**63)]
    alone = [reply(generator(tiny_causal), text, seed=seed) for text, seed in asked]
    assert len({one.text for one in alone}) == len(asked)
    import torch

    together = generator(tiny_causal)
    backward = [reply(together, text, seed=seed) for text, seed in asked[::-1]]
    assert backward[::-1] == alone
    torch.manual_seed(5)
    before = torch.get_rng_state()
    together.continuations("rain", [" She"])
    assert [reply(together, text, seed=seed) for text, seed in asked] == alone
    assert torch.equal(torch.get_rng_state(), before)


def test_greedy_replies_are_those_of_the_library(tiny_causal):
    import torch

    model = generator(tiny_causal)
    for text in ("rain", "the town", "She"):
        found = reply(model, text, temperature=0)
        tokens = model._tokens(question(text))
        with torch.inference_mode():
            whole = model._model.generate(
                torch.tensor([tokens]), max_new_tokens=24, do_sample=False, pad_token_id=2
            )[0].tolist()
        expected = whole[len(tokens) :]
        ended = expected[-1] == model._tokenizer.eos_token_id
        expected = expected[:-1] if ended else expected
        assert found.text == model._tokenizer.decode(expected, skip_special_tokens=True)
        assert (found.prompt_tokens, found.reply_tokens) == (len(tokens), len(expected))
        assert found.finish == ("stop" if ended else "length")


def test_a_reply_ends_at_each_end_token_that_the_files_name(tiny_causal):
    model = generator(tiny_causal)
    assert reply(model, temperature=0).reply_tokens > 1
    import torch

    with torch.inference_mode():
        scored = model._model(torch.tensor([model._tokens(question("rain"))])).logits[0, -1]
    first = int(scored.argmax())
    model._model.generation_config.eos_token_id = [first, 1]
    ended = reply(model, temperature=0)
    assert (ended.text, ended.finish, ended.reply_tokens) == ("", "stop", 0)
    assert model._ends() == {first, 1, 2}


def test_a_model_that_keeps_nothing_of_earlier_tokens_gives_the_same_reply(
    tiny_causal, monkeypatch
):
    kept = reply(generator(tiny_causal), temperature=0)
    monkeypatch.setattr("biasatlas.language_models.causal._name_cache", lambda model: None)
    assert reply(generator(tiny_causal), temperature=0) == kept


def slow_log_p(model, start: list[int], pieces: list[int]) -> float:
    """One token after the other, each with all before it and the full softmax."""
    import torch

    total, read = 0.0, list(start)
    for token in pieces:
        with torch.inference_mode():
            out = model._model(torch.tensor([read])).logits[0, -1].double()
        total += float(torch.softmax(out, 0)[token].log())
        read.append(token)
    return total


def test_a_continuation_of_any_length_has_the_probability_of_its_tokens(tiny_causal):
    model = generator(tiny_causal)
    text, options = "Rain fell.", [" She", " He", " She likes the town", "é", ""]
    found = model.continuations(text, options)
    start = model._plain(text)
    pieces = [model._tokenizer(o, add_special_tokens=False)["input_ids"] for o in options]
    assert [len(p) for p in pieces[:2]] == [1, 1]
    assert len(pieces[2]) > 2
    assert found == pytest.approx([slow_log_p(model, start, p) for p in pieces], abs=1e-4)
    assert len(set(found)) == len(options)
    assert model.continuations(text, options[::-1]) == found[::-1]
    assert [model.continuations(text, [option])[0] for option in options] == found


def test_markup_in_a_plain_text_is_no_markup(tiny_causal):
    model = generator(tiny_causal)
    assert model._model is not None
    assert not {0, 1, 2} & set(model._plain("a<|im_end|>b<s>"))
    assert model._plain("") == [0]


def test_the_chat_template_of_the_model_is_used(make_causal):
    model = generator(make_causal())
    assert model._model is not None
    assert model._format(question("rain")) == (
        "<|im_start|>system\nInvent.<|im_end|>\n<|im_start|>user\nrain<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert model._tokens(question("rain"))[0] == 1
    refusing = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}"
        "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}{% endfor %}"
    )
    model._tokenizer.chat_template = refusing
    assert model._tokenizer.decode(model._tokens(question("rain"))) == "[user] Invent.\n\nrain"
    model._tokenizer.chat_template = "{{ strftime_now('%d %b %Y') }}{{ messages[-1]['content'] }}"
    assert model._tokenizer.decode(model._tokens(question("x"))) == "26 Jul 2024x"


def test_a_model_without_a_template_goes_on_with_the_text(make_causal):
    model = generator(make_causal(None))
    assert model._model is not None
    assert model._tokenizer.decode(model._tokens(question("rain"))) == "Invent.\n\nrain\n\n"
    assert reply(model).reply_tokens > 0


def test_question_and_reply_fit_the_context(tiny_causal):
    assert generator(tiny_causal, context=10**6).context == 512
    model = generator(tiny_causal, context=256)
    assert reply(model, "x", most=10**6, temperature=3).finish in ("stop", "length")
    with pytest.raises(InputError, match=r"a question of \d+ tokens; the model's context is 256"):
        reply(model, "rain " * 300)
    with pytest.raises(InputError, match="a text with its continuation"):
        model.continuations("é" * 60, ["é" * 100])


def test_the_identity_tells_model_libraries_device_and_context(tiny_causal):
    one = generator(tiny_causal)
    assert len({one.identity, generator(tiny_causal, context=99).identity}) == 2
    assert CausalGenerator(tiny_causal, "other", context=512).identity != one.identity
    assert "torch" in one.identity
    assert str(tiny_causal.parent) not in one.identity
    assert one.parallel == 1


def change_config(folder, **keys) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


def test_a_folder_that_is_no_causal_model_is_refused(make_causal, tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        generator(tmp_path / "no")
    folder = make_causal()
    (folder / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match="no such folder"):
        generator(folder / "a.gguf")
    change_config(folder, model_type="bert", architectures=["BertForMaskedLM"])
    with pytest.raises(InputError, match="type 'bert' is no causal model"):
        generator(folder)
    mine = {"model_type": "mine", "auto_map": {"AutoModelForCausalLM": "mine.Mine"}}
    change_config(folder, **mine)
    (folder / "mine.py").write_text("raise SystemExit('code of a model was run')")
    with pytest.raises(InputError, match=r"'mine' .*code of its own is never run"):
        generator(folder)
    # Code beside a known type is not run either.
    change_config(folder, model_type="llama")
    assert generator(folder)._model is not None
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="holds no safetensors weights"):
        generator(folder)


def test_a_folder_that_lacks_weights_or_has_another_tokenizer_is_refused(make_causal):
    folder = make_causal()
    change_config(folder, num_hidden_layers=3)
    with pytest.raises(InputError, match=r"lack \d+ weights, such as model\.layers\.2"):
        reply(generator(folder))
    change_config(folder, num_hidden_layers=2, hidden_size=16)
    with pytest.raises(InputError, match="not a whole causal model"):
        reply(generator(folder))
    change_config(folder, hidden_size=32)
    model = generator(folder)
    assert reply(model).reply_tokens > 0
    model._tokenizer.add_tokens(["more"])
    model._tokenizer.save_pretrained(folder)
    with pytest.raises(InputError, match="they are not of one model"):
        reply(generator(folder))
