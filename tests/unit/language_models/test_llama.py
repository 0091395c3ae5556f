"""Chat with a GGUF file: form, context, and replies that do not depend on earlier questions."""

from __future__ import annotations

import json

import pytest

from biasatlas.errors import InputError
from biasatlas.language_models import install, llama
from biasatlas.language_models.chat import ChatSettings
from biasatlas.language_models.choice import choice_schema, read_choice
from biasatlas.language_models.llama import LlamaChat, find_gguf

OPTIONS = ["tax return", "flood damage", "chess club"]
SCHEMA = choice_schema("label", OPTIONS)
HEAD = [{"role": "system", "content": "Choose."}, {"role": "user", "content": "Rain fell."}]
HEAD += [{"role": "assistant", "content": '{"label": "flood"}'}]


def question(text: str) -> list[dict[str, str]]:
    return [*HEAD, {"role": "user", "content": text}]


def chat(path, **settings) -> LlamaChat:
    return LlamaChat(path, "digest", ChatSettings(**{"max_tokens": 60, "context": 512} | settings))


def logits(model: LlamaChat) -> bytes:
    """Bits of the last token's scores."""
    import ctypes

    import llama_cpp

    scores = llama_cpp.llama_get_logits_ith(model._llama.ctx, -1)
    return ctypes.string_at(scores, 4 * model._llama.n_vocab())


def test_a_reply_is_one_of_the_options_whatever_the_model(tiny_model):
    for seed in range(6):
        reply = chat(tiny_model, temperature=2.0, seed=seed).ask(question("Tax."), SCHEMA)
        assert read_choice(reply, "label", OPTIONS) in OPTIONS


def test_a_schema_that_llama_cpp_cannot_read_ends_in_an_error_not_in_a_crash(tiny_model):
    with pytest.raises(ValueError, match="no grammar can be made"):
        chat(tiny_model).ask(question("x"), choice_schema("label", ['a "b"', "c"]))


def test_a_reply_does_not_depend_on_the_questions_before(tiny_model):
    texts = ["Rain fell on the town and", "Rain fell on the town", "tax", "Rain fell on the hill"]
    alone = {}
    for text in texts:
        model = chat(tiny_model, max_tokens=12)
        alone[text] = model.ask(question(text)), logits(model)
    together = chat(tiny_model, max_tokens=12)
    for text in [*texts[::-1], *texts, texts[0]]:
        assert (together.ask(question(text)), logits(together)) == alone[text]
    # Another head in between leaves no trace either.
    together.ask([{"role": "user", "content": "Rain"}])
    assert (together.ask(question(texts[0])), logits(together)) == alone[texts[0]]


def test_the_shared_beginning_is_evaluated_once(tiny_model):
    model = chat(tiny_model, max_tokens=2)
    evaluated = []
    evaluate = model._llama.eval
    model._llama.eval = lambda tokens: (evaluated.append(len(tokens)), evaluate(tokens))
    model.ask(question("one"))
    assert sum(n for n in evaluated if n > 1) == model.count(question("one"))
    first = len(evaluated)
    model.ask(question("two"))
    head = model.count(HEAD)
    assert evaluated[first] < model.count(question("two")) - head + 40
    assert evaluated[first] < head


def test_the_grammar_of_a_schema_is_made_once(tiny_model):
    model = chat(tiny_model)
    other = choice_schema("label", ["a", "b"])
    first, second = model._grammar(SCHEMA), model._grammar(other)
    assert model._grammar(dict(SCHEMA)) is first
    assert model._grammar(other) is second
    assert first._grammar != second._grammar
    # Keys come in the order in which the schema names them.
    two = {key: {"type": "string", "enum": [key]} for key in ("b", "a")}
    schema = {"type": "object", "properties": two, "required": ["b", "a"]}
    turned = schema | {"properties": dict(reversed(two.items())), "required": ["a", "b"]}
    assert [list(json.loads(model.ask(question("x"), s))) for s in (schema, turned)] == [
        ["b", "a"],
        ["a", "b"],
    ]


def test_the_seed_decides_a_reply_at_a_high_temperature(tiny_model):
    replies = {chat(tiny_model, temperature=2.0, seed=n).ask(question("x")) for n in range(4)}
    assert len(replies) > 1
    assert len({chat(tiny_model, temperature=2.0).ask(question("x")) for _ in range(2)}) == 1


def test_a_text_is_cut_to_tokens_at_a_word(tiny_model):
    model = chat(tiny_model)
    assert model.cut("rain fell", 100) == "rain fell"
    # One token a byte, and one for the space that the tokenizer puts in front.
    assert model.cut("rain fell on the town", 12) == "rain fell"
    assert model.cut("été", 3) in {"é", "ét"}
    assert model.cut("rain fell", 0) == ""


def test_the_context_is_at_most_what_the_model_was_trained_for(tiny_model, caplog):
    caplog.set_level("INFO", "biasatlas")
    assert chat(tiny_model, context=100_000).context == 512
    assert "512 tokens" in caplog.text
    assert chat(tiny_model, context=256).context == 256
    with pytest.raises(ValueError, match="the context is 256"):
        chat(tiny_model, context=256).ask(question("rain " * 100))


def test_a_model_without_a_template_is_asked_in_the_form_of_llama_2(make_model):
    model = chat(make_model(None))
    assert read_choice(model.ask(question("x"), SCHEMA), "label", OPTIONS) in OPTIONS
    prompt = model._format(messages=question("x")).prompt
    assert "<<SYS>>" in prompt
    assert prompt.endswith("[/INST]")


def test_a_template_that_refuses_a_system_message_gets_it_with_the_first_question(make_model):
    refusing = (
        "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no') }}"
        "{% endif %}[{{ m['role'] }}] {{ m['content'] }} {% endfor %}"
    )
    model = chat(make_model(refusing))
    model.count(question("x"))
    prompt = model._format(messages=question("x")).prompt
    assert prompt.startswith("[user] Choose.\n\nRain fell. [assistant]")
    assert "system" not in prompt


def test_a_template_that_writes_the_date_always_writes_the_same(make_model):
    model = chat(make_model("{{ strftime_now('%d %b %Y') }} {{ messages[-1]['content'] }}"))
    model.count(question("x"))
    assert model._format(messages=question("x")).prompt == "26 Jul 2024 x"


def test_the_key_changes_with_model_and_settings(tiny_model):
    keys = {chat(tiny_model).key, chat(tiny_model, temperature=0.2).key}
    keys |= {chat(tiny_model, seed=2).key, LlamaChat(tiny_model, "other", ChatSettings()).key}
    assert len(keys) == 4
    assert "llama-cpp-python" in chat(tiny_model).key


def test_a_missing_library_is_said_with_the_install_line(monkeypatch, tmp_path):
    assert install.check_llama() == [] or "llama-cpp-python" in install.check_llama()[0]
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'llama-cpp-python==0\.3\.36'"):
        LlamaChat(tmp_path, "digest", ChatSettings())
    assert "key `labels.second`" in install.check_llama("labels.second")[0]
    assert "make llm" in install.check_llama()[0]


def test_a_wrong_model_file_is_named(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"one file \*\.gguf is needed, found none"):
        find_gguf(tmp_path)
    with pytest.raises(InputError, match=r"no\.gguf: cannot be read"):
        find_gguf(tmp_path / "no.gguf")
    (tmp_path / "a.gguf").write_bytes(b"PK\x03\x04 not a model")
    with pytest.raises(InputError, match=r"a\.gguf: not a GGUF model"):
        find_gguf(tmp_path)
    (tmp_path / "b.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match=r"found a\.gguf, b\.gguf"):
        find_gguf(tmp_path)
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (make llm)")
    with pytest.raises(InputError, match=r"b\.gguf: cannot be loaded"):
        chat(tmp_path / "b.gguf").ask(question("x"))
    assert llama.MAGIC == b"GGUF"


def test_smollm2_answers_in_json_whatever_the_order(small_model):
    texts = ["Tax: tax returns, income tax.", "Tax: the river rose.", "The river burst its banks."]
    one, other = (chat(small_model, context=1024) for _ in range(2))
    forward = [one.ask(question(text), SCHEMA) for text in texts]
    backward = [other.ask(question(text), SCHEMA) for text in texts[::-1]]
    assert forward == backward[::-1]
    assert all(json.loads(reply)["label"] in OPTIONS for reply in forward)


def test_options_of_any_script_come_back_whole(small_model):
    for option in ["été à Évian", "बाढ़ राहत", "水害", "می‌خواهم"]:
        options = [option, f"{option} x"]
        reply = chat(small_model).ask(question("x"), choice_schema("label", options))
        assert read_choice(reply, "label", options) in options
