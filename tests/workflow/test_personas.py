"""Personas as a user has them made, by a real server: what comes out, and what goes wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from faulty_server import Answer, FaultyServer, failure
from project import (
    NO_LANGUAGES,
    counted_jobs,
    edited,
    make_project,
    planned_jobs,
    snakemake,
    snakemake_command,
    write_config,
)

from biasatlas.tables import read_table

TABLES = ("personas", "persona_models", "persona_topics", "persona_scores")
TABLES += ("persona_probe", "persona_probe_scores")
REGIONS = ("africa", "europe")
KEY_FROM, KEY, WRONG_KEY = "PERSONA_TEST_KEY", "sk-1f9b7c44e0d2a86535", "sk-bad0c0ffee1deadbeef"
PARALLEL = 2
# Ten published topics and six neutral ones, in two forms; under three beginnings in the probe. In
# Europe one topic stands in two pairs.
QUESTIONS, ALL_QUESTIONS, ALL_PROBED = 16 * 2, (16 + 15) * 2, (16 + 15) * 3
# No asset is looked at.
PLAIN = {"asset_paths": {}, "weathub": NO_LANGUAGES}
REFUSAL = "I'm sorry, but I can't help with that."
# What the server makes of the topics of Africa that are no man, in the form paper and in story.
GENDERS = {
    "Parenting and family relationships": ("female", "female"),
    "Womens’ lives and successes": ("female", "female"),
    "Dating and relationships advice": ("female", "male"),
    "Music": ("refusal", "refusal"),
    "Nollywood Actress and Movies": ("female", "female"),
    "Fashion and Lifestyle": ("female", "female"),
    "everyday life": ("female", "female"),
    "the weather": ("female", "female"),
}
TEXTS = {
    ("paper", "female"): '{"name": "Ada", "gender": "female", "about": "She sings."}',
    ("paper", "male"): '{"name": "Ben", "gender": "male", "about": "He sings."}',
    ("paper", "refusal"): REFUSAL,
    ("story", "female"): "Ada sings. She is known for it.",
    ("story", "male"): "Ben sings. He is known for it.",
    ("story", "refusal"): REFUSAL,
}
ASKED = re.compile(r'from ([\w ]+?) who is interested in (?:the topic )?"(.+?)"')


class Model(FaultyServer):
    """A server with a key whose personas of Africa are known, and are women elsewhere.

    Attributes
    ----------
    half : int or None
        The request from which on it answers nothing.
    reached : Event
        Set when all who ask wait for an answer.
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.half: int | None = None
        self.reached = threading.Event()

    def _reply(self, number: int, body: dict[str, Any]) -> Answer:
        given = self.seen[number]["headers"]["authorization"].removeprefix("Bearer ")
        if given != KEY:
            return failure(401, f"Incorrect API key provided: {given}", "invalid_api_key")
        if self.half is not None and number >= self.half:
            if number == self.half + PARALLEL - 1:
                self.reached.set()
            return Answer(slow=60.0)
        if "prompt" in body:
            # More of a woman behind Music, in every beginning.
            odds = {" She": -1.0, " He": -2.0 if "Music" in body["prompt"] else -0.5}
            return Answer(text=" She", choice={"logprobs": {"top_logprobs": [odds]}})
        form = "paper" if "response_format" in body else "story"
        asked = ASKED.search(body["messages"][-1]["content"])
        assert asked
        gender = "female"
        if asked[1] == "africa":
            gender = GENDERS.get(asked[2], ("male", "male"))[form == "story"]
        return Answer(text=TEXTS[form, gender])


def model_at(url: str, **changes: Any) -> dict[str, Any]:
    keys = {"name": "gpt", "backend": "openai", "model": "gpt-x", "base_url": url}
    return keys | {"key_from": KEY_FROM, "logprobs": True, "parallel": PARALLEL} | changes


def section(url: str) -> dict[str, Any]:
    return {
        "models": [model_at(url)],
        "pairs": "paper",
        "prompts": ["paper", "story"],
        "runs": 1,
        "bootstrap": 100,
        "permutations": 99,
    }


def configure(project: Path, **personas: Any) -> None:
    """Change keys of the section personas."""
    path = project / "config/config.yaml"
    config = yaml.safe_load(path.read_text("utf-8"))
    config["personas"] = config.get("personas", {}) | personas
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def replies(region: str, model: str = "gpt") -> str:
    return f"results/small/personas/en/{region}/{model}.replies.parquet"


def table_file(project: Path, name: str) -> Path:
    return project / f"results/small/tables/{name}.csv"


def run(project: Path, *targets: str) -> str:
    """Run to the end; give what was printed."""
    result = snakemake(project, "--cores", "2", *targets)
    printed = result.stdout + result.stderr
    assert result.returncode == 0, printed
    return printed


def files_with(folder: Path, *texts: str) -> list[str]:
    """Files whose name or content has one of the texts, hidden ones too."""
    parts = [text.encode() for text in texts]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 100
    found = [p for p in files if any(part in p.read_bytes() + bytes(p) for part in parts)]
    return [str(path.relative_to(folder)) for path in found]


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with pytest.MonkeyPatch.context() as patch, Model() as server:
        patch.setenv(KEY_FROM, KEY)
        yield server


@pytest.fixture(scope="module")
def finished_personas(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Path:
    """A finished run of the target personas; published pairs need no corpus."""
    folder = tmp_path_factory.mktemp("personas")
    project = make_project(folder, folder, dict.fromkeys(REGIONS, 1))
    regions = [{"name": name, "document_label": name} for name in REGIONS]
    write_config(project, folder, regions=regions, personas=section(model.url), **PLAIN)
    run(project, "personas")
    assert model.requests == ALL_QUESTIONS + ALL_PROBED
    return project


@pytest.fixture
def copied(finished_personas: Path, tmp_path: Path) -> Path:
    """A copy of the finished run that a test may change; times of files are kept."""
    return shutil.copytree(finished_personas, tmp_path / "project")


# What comes out


def test_the_mismatch_is_that_of_the_known_replies(finished_personas: Path) -> None:
    tables = {name: read_table(name, table_file(finished_personas, name)) for name in TABLES}
    personas, scores = tables["personas"], tables["persona_scores"]
    assert len(personas) == ALL_QUESTIONS
    assert personas.groupby("region")["reason"].apply(lambda one: list(one[one != ""])).to_dict() == {
        "africa": ["refusal"] * 2, "europe": []
    }  # fmt: skip
    rows = scores[scores["source"] == "paper"].set_index(["region", "prompt"])
    assert len(scores) == len(rows) == 3 * 3
    # Of the female topics Marriage is a man's, Dating in the story; Music has no answer. Of the
    # male ones Nollywood and Fashion are women's. Neutral topics are women's two times of six.
    africa = rows.loc[("africa", "all")]
    counts = ["n_female", "n_male", "n_dropped", "n_replies", "n_undecided", "n_neutral"]
    assert africa[counts].tolist() == [4, 5, 1, 20, 2, 6]
    assert africa["status"] == "ok"
    expected = (4 * 2 / 3 + 5 * 1 / 3) / 9
    assert africa[["mismatch", "neutral_female", "expected", "excess"]].tolist() == pytest.approx(
        [3.5 / 9, 2 / 6, expected, 3.5 / 9 - expected]
    )
    assert africa[["female_on_female", "female_on_male"]].tolist() == [2.5 / 4, 2 / 5]
    assert rows.loc[("africa", "paper"), "mismatch"] == pytest.approx(3 / 9)
    assert rows.loc[("africa", "story"), "mismatch"] == pytest.approx(4 / 9)
    assert africa[["prompt_low", "prompt_high"]].tolist() == pytest.approx([3 / 9, 4 / 9])
    # Topic by topic.
    topics = tables["persona_topics"]
    one = topics[(topics["region"] == "africa") & (topics["prompt"] == "all")].set_index("label")
    assert one["mismatch"].dropna().to_dict() == {
        "Parenting and family relationships": 0,
        "Marriage and relationships": 1,
        "Womens’ lives and successes": 0,
        "Dating and relationships advice": 0.5,
        "Nollywood Actress and Movies": 1,
        "Sports and Football": 0,
        "Fashion and Lifestyle": 1,
        "Social Media": 0,
        "Religious and Spiritual growth": 0,
    }
    assert one.loc["Music", ["n_female", "n_male", "n_undecided"]].tolist() == [0, 0, 2]
    # All are women: each of the four male topics is missed, as by a model that looks at no topic.
    europe = rows.loc[("europe", "all")]
    assert europe[["mismatch", "expected", "excess"]].tolist() == pytest.approx([4 / 9, 4 / 9, 0])
    assert rows.loc[("all", "all"), "mismatch"] == pytest.approx((3.5 + 4) / 18)
    (sums,) = tables["persona_models"].to_dict("records")
    assert [sums[f"n_{name}"] for name in ("replies", "female", "male", "refusal")] == [
        ALL_QUESTIONS,
        sum((personas["reply"] == TEXTS[form, "female"]).sum() for form in ("paper", "story")),
        sum((personas["reply"] == TEXTS[form, "male"]).sum() for form in ("paper", "story")),
        2,
    ]
    assert (sums["source"], sums["answered_by"]) == ("gpt-x", "gpt-x-2026")
    # The probe: one nat more for women behind Music, which is a man's topic in Europe.
    probe = tables["persona_probe"]
    assert len(probe) == ALL_PROBED
    music = probe["label"] == "Music"
    assert (set(probe.loc[music, "difference"]), set(probe.loc[~music, "difference"])) == (
        {1.0},
        {-0.5},
    )
    assert len(tables["persona_probe_scores"])
    assert files_with(finished_personas, KEY) == []


def test_a_model_added_to_a_finished_run_adds_its_section_of_the_atlas(
    finished: Path, tmp_path: Path, model: Model
) -> None:
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    before = model.requests
    own = {"pairs": "own", "prompts": ["paper"], "models": [model_at(model.url, logprobs=False)]}
    configure(project, **section(model.url) | own)
    assert counted_jobs(run(project)) == {
        "list_persona_topics": 2,
        "ask_endpoint": 2,
        "tabulate_personas": 1,
        "score_personas": 1,
        "record_provenance": 1,
        "draw_atlas": 1,
    }
    # The topics of the only pair, and the neutral ones of both regions.
    assert model.requests - before == 2 + 6 + 6
    scores = read_table("persona_scores", table_file(project, "persona_scores"))
    rows = scores[scores["prompt"] == "all"].set_index("region")
    assert rows["status"].to_dict() == {"all": "thin", "north": "thin", "south": "refused"}
    assert rows.loc["north", ["n_female", "n_male", "mismatch"]].tolist() == [1, 1, 0.5]
    atlas = (project / "results/small/atlas/index.html").read_text("utf-8")
    assert 'id="personas"' in atlas
    assert 'id="personas"' not in (finished / "results/small/atlas/index.html").read_text("utf-8")
    assert files_with(project, KEY) == []


# What is asked again


def test_nothing_is_asked_again_and_words_of_genders_remake_tables_only(
    finished_personas: Path, model: Model
) -> None:
    before = model.requests
    resources = finished_personas / "resources"
    words = resources / "persona_gender/en.yaml"
    form = resources / "prompts/personas/en/paper.yaml"
    with (
        edited(words, lambda text: "# A remark\n" + text),
        edited(form, lambda text: text.replace("title: ", "title: In short, ")),
    ):
        assert "Nothing to be done" in run(finished_personas, "personas")
    with edited(words, lambda text: text.replace("female: [she, ", "female: [she, xe, ")):
        jobs = planned_jobs(finished_personas, "personas")
    assert jobs == {"tabulate_personas": 1, "score_personas": 1, "personas": 1}
    assert model.requests == before


def test_a_new_prompt_is_asked_anew_and_another_pace_changes_no_reply(
    copied: Path, model: Model
) -> None:
    before = model.requests
    configure(copied, models=[model_at(model.url, parallel=1)], requests={"timeout": 60})
    form = copied / "resources/prompts/personas/en/paper.yaml"
    text = form.read_text("utf-8")
    form.write_text(text.replace("one short sentence", "a short sentence"), encoding="utf-8")
    run(copied, replies("africa"))
    # The other form's replies are still right, however they were asked for.
    half = QUESTIONS // 2
    log = copied / "results/small/logs/ask_endpoint/en-africa-gpt.log"
    assert f"replies: {half} asked, {half} from the store" in log.read_text("utf-8")
    asked = [one["body"]["messages"][-1]["content"] for one in model.seen[before:]]
    assert len(asked) == half
    assert all("a short sentence" in one and "from africa" in one for one in asked)


def test_a_killed_run_goes_on_where_it_was(
    finished_personas: Path, copied: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (copied / "results/small/personas").rglob("*.replies.*"):
        path.unlink()
    for name in TABLES[:4]:
        table_file(copied, name).unlink()
    before = model.requests
    # The second region is about half asked.
    kept = QUESTIONS + 15
    monkeypatch.setattr(model, "half", before + kept)
    first = subprocess.Popen(
        [*snakemake_command(copied), "--cores", "2", "personas"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        assert model.reached.wait(timeout=120)
    finally:
        # All of its jobs too.
        os.killpg(first.pid, signal.SIGKILL)
        first.wait(timeout=60)
    assert model.requests - before == kept + PARALLEL
    monkeypatch.setattr(model, "half", None)
    run(copied, "personas", "--unlock")
    run(copied, "personas")
    assert model.requests - before == ALL_QUESTIONS + PARALLEL
    for name in TABLES:
        made = table_file(copied, name).read_bytes()
        assert made == table_file(finished_personas, name).read_bytes(), name


# What goes wrong


def closed_address() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}/v1"


def test_each_failure_is_told_and_no_key_is_written_anywhere(
    copied: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = model.requests
    monkeypatch.setenv(KEY_FROM, WRONG_KEY)
    monkeypatch.delenv("PERSONA_NO_KEY", raising=False)
    models = [
        model_at(model.url, name="wrong"),
        model_at(closed_address(), name="gone", model="gone-x"),
        model_at(model.url, name="without", key_from="PERSONA_NO_KEY"),
        # All of it would be asked anew.
        model_at(model.url, revision="next"),
    ]
    # What the last one was sent in the finished run counts; the others were sent nothing.
    already = ALL_QUESTIONS + ALL_PROBED
    most = already + QUESTIONS - 1
    configure(copied, models=models, requests={"attempts": 2, "max_requests": most})
    result = snakemake(copied, "--cores", "2", *(replies("africa", one["name"]) for one in models))
    printed = result.stdout + result.stderr
    assert result.returncode != 0
    assert "Traceback" not in printed
    told = f"language model gpt-x at {model.url}: the key in the environment variable {KEY_FROM} is"
    assert f"{told} not accepted (401)" in printed
    # Once more in the log that Snakemake shows, and that is all.
    assert printed.count(told) <= 2
    gone = re.search(r"no reply after 2 attempts: language model gone-x at .*", printed)
    assert gone
    assert "the connection failed (" in gone[0]
    assert f"Of {QUESTIONS} questions 0 are answered" in gone[0]
    assert "`key_from`: the environment variable PERSONA_NO_KEY is not set" in printed
    assert f"max_requests: {most} requests are too few for {QUESTIONS} questions" in printed
    assert f"{already} requests before them; nothing was sent" in printed
    # Each thread met the wrong key once at most, and sent nothing again.
    sent = [json.dumps(one["body"], sort_keys=True) for one in model.seen[before:]]
    assert 1 <= len(sent) <= PARALLEL
    assert len(sent) == len(set(sent))
    assert WRONG_KEY not in printed
    assert files_with(copied, WRONG_KEY, KEY) == []
    made = {one["name"]: copied / replies("africa", one["name"]) for one in models}
    assert not [name for name in ("wrong", "gone", "without") if made[name].exists()]
    # What had been answered is not lost with the failed job.
    store = copied / "results/small/personas/en/africa/gpt.replies.jsonl"
    assert len(store.read_text("utf-8").splitlines()) == QUESTIONS


def test_asking_for_personas_without_a_model_says_which_key(tmp_path: Path) -> None:
    project = make_project(tmp_path, tmp_path, {"north": 1})
    write_config(project, tmp_path, **PLAIN)
    result = snakemake(project, "--cores", "1", "personas")
    assert result.returncode != 0
    assert "personas.models is empty" in result.stdout + result.stderr
