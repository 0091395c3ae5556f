"""Documents of all sources: drawn, cleaned, placed, and every one accounted for."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biasatlas.corpora.counts import COUNT_COLUMNS
from biasatlas.corpora.preparation import Preparation, make_preparation
from biasatlas.corpora.prepare import DOCUMENT_COLUMNS, prepare_documents
from biasatlas.corpora.readers.batches import Limits
from biasatlas.errors import InputError

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "corpora"
GAZETTEER = ROOT / "resources" / "gazetteer" / "en.csv"
OPTIONS = {"text": "text", "id": "id", "country": "country"}


def total(counts: pd.DataFrame, item: str, unit: str = "document") -> int:
    return int(counts.loc[(counts["item"] == item) & (counts["unit"] == unit), "n"].sum())


def text_of(tag: str, sentences: int) -> str:
    return " ".join(f"Passage {tag} number {i} says one more thing." for i in range(sentences))


def unlike(seed: int, words: int = 40) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(10**6)}" for _ in range(words))


def check_identity(counts: pd.DataFrame) -> None:
    assert list(counts.columns) == list(COUNT_COLUMNS)
    documents = counts[counts["unit"] == "document"]
    ends = documents["item"].isin(["kept", "not_sampled"])
    ends |= documents["item"].str.startswith("dropped_")
    for place, group in documents.groupby(["source", "country"]):
        read = group.loc[group["item"] == "read", "n"].sum()
        assert read == group.loc[ends.loc[group.index], "n"].sum(), place


def write_table(path: Path, rows: list[tuple[str, str]]) -> tuple[str, Path, dict[str, str]]:
    """Rows are (country, text); the id is the number."""
    frame = pd.DataFrame(rows, columns=["country", "text"]).rename_axis("id").reset_index()
    frame.to_csv(path, index=False)
    return ("table", path, OPTIONS)


def test_prepare(tmp_path: Path) -> None:
    repeated = tmp_path / "again.txt"
    text = text_of("x", 6)
    repeated.write_text(f"{text}\n{text.upper()}\n", encoding="utf-8")
    sources = [
        ("news", DATA / "news_tiny.csv", {}),
        ("lines", repeated, {"name": "a", "source": "A", "outlet_country": "AUS"}),
        ("lines", repeated, {"name": "b", "source": "A", "outlet_country": "AUS"}),
    ]
    documents, counts = prepare_documents(sources, "en", GAZETTEER)
    assert list(documents.columns) == list(DOCUMENT_COLUMNS)
    assert documents["document"].to_list()[1:] == ["news-1", "news-2"]
    assert documents["document"][0] in {"a-1", "a-2"}
    assert documents["country"].to_list() == ["AUS", "USA", "NGA"]
    assert documents["rule"].to_list() == [
        "no country named: country of the outlet",
        "most mentioned country",
        "most mentioned country",
    ]
    expected = dict(read=8, kept=3, dropped_empty=1, dropped_short=1, dropped_duplicate=3)
    assert {item: total(counts, item) for item in expected} == expected
    check_identity(counts)


def test_prepare_without_country(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text_of("x", 6), encoding="utf-8")
    documents, counts = prepare_documents([("lines", path, {})], "en", GAZETTEER)
    assert documents.is_empty()
    assert total(counts, "dropped_no_country") == 1
    check_identity(counts)


def test_prepare_bad(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no source"):
        prepare_documents([], "en", None)
    with pytest.raises(InputError, match="language_min needs a language model"):
        Preparation(language_min=0.5)
    paths = [tmp_path / name / "x.txt" for name in ("a", "b")]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_text(unlike(number), encoding="utf-8")
    sources = [("lines", path, {"country": "AUS"}) for path in paths]
    with pytest.raises(InputError, match="document 'x-1' comes twice"):
        prepare_documents(sources, "en", None)


def test_counts_have_one_row_a_key(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.txt").write_text(text_of(name, 6), encoding="utf-8")
    sources = [("lines", tmp_path / f"{name}.txt", {"source": "S"}) for name in ("x", "y")]
    _, counts = prepare_documents(sources, "en", None)
    keys = [column for column in COUNT_COLUMNS if column != "n"]
    assert not counts.duplicated(keys).any()
    assert total(counts, "read") == 2


def test_much_boilerplate_is_a_warning_that_names_the_key(tmp_path: Path, caplog) -> None:
    again = "The committee met again today in the city. " * 8
    source = write_table(
        tmp_path / "a.csv", [("Kenya", f"{again}Then {unlike(n)}.") for n in range(6)]
    )
    preparation = Preparation(boilerplate_documents=4)
    documents, counts = prepare_documents([source], "en", None, preparation)
    assert "passages.boilerplate_documents" in caplog.text
    assert total(counts, "dropped_boilerplate", "word") == 6 * 64
    assert documents["text"].str.count_matches(r"\S+").to_list() == [41] * 6


def test_rows_without_text_are_counted_and_warned_of(tmp_path: Path, caplog) -> None:
    rows = [("Kenya", unlike(n) if n % 5 else "") for n in range(20)]
    _, counts = prepare_documents([write_table(tmp_path / "a.csv", rows)], "en", None)
    assert total(counts, "dropped_empty") == 4
    assert "4 of 20 documents have no text" in caplog.text
    check_identity(counts)


def test_near_duplicates_and_lengths(tmp_path: Path) -> None:
    words = unlike(1, 100).split()
    near = " ".join([*words[:-1], "other"])
    rows = [
        ("Kenya", " ".join(words)),
        ("Kenya", near),
        ("Ghana", unlike(2, 300)),
        ("Ghana", "short"),
    ]
    source = write_table(tmp_path / "a.csv", rows)
    preparation = Preparation(near_duplicates=0.8, max_words=200)
    documents, counts = prepare_documents([source], "en", None, preparation)
    assert documents["country"].to_list() == ["KEN"]
    for item in ("dropped_near_duplicate", "dropped_long", "dropped_short"):
        assert total(counts, item) == 1
    check_identity(counts)
    documents, _ = prepare_documents([source], "en", None)
    assert documents.height == 3


def test_draw_by_country_also_where_the_text_gives_it(tmp_path: Path) -> None:
    given_rows = [("Kenya", unlike(n)) for n in range(30)] + [("GHA", unlike(99))]
    free = [("", f"In Kenya {unlike(n)}") for n in range(100, 110)]
    source = write_table(tmp_path / "a.csv", given_rows + free)
    preparation = Preparation(per_country=8, seed=2)
    documents, counts = prepare_documents([source], "en", GAZETTEER, preparation)
    by_country = documents["country"].value_counts().sort("country")
    assert by_country.rows() == [("GHA", 1), ("KEN", 8)]
    assert total(counts, "not_sampled") == 41 - 9
    assert set(documents["rule"]) == {"column", "most mentioned country"}
    check_identity(counts)


def test_a_document_is_never_lost_to_a_copy_that_is_dropped_itself(tmp_path: Path) -> None:
    placed = [("USA", unlike(n)) for n in range(60)]
    free = [("", unlike(n) + tail) for n in range(60) for tail in (" .", " extra")]
    source = write_table(tmp_path / "a.csv", placed + free)
    documents, counts = prepare_documents(
        [source], "en", GAZETTEER, Preparation(near_duplicates=0.7)
    )
    assert documents.height == 60
    assert set(documents["country"]) == {"USA"}
    assert total(counts, "dropped_no_country") == 120
    check_identity(counts)


def test_a_country_of_the_text_counts_in_the_draw(tmp_path: Path) -> None:
    rows = [("", f"In Kenya {unlike(n)}") for n in range(30)]
    rows += [("Kenya", unlike(n)) for n in range(100, 130)]
    source = write_table(tmp_path / "a.csv", rows)
    documents, _ = prepare_documents([source], "en", GAZETTEER, Preparation(per_country=20))
    assert documents.height == 20
    by_text = (documents["rule"] == "most mentioned country").sum()
    assert 3 < by_text < 17  # 10 by chance, with a deviation of 1.8


def test_another_language_is_warned_that_names_of_countries_are_english(
    tmp_path: Path, caplog
) -> None:
    source = write_table(tmp_path / "a.csv", [("", f"In Kenia {unlike(n)}") for n in range(4)])
    prepare_documents([source], "de", GAZETTEER)
    assert "are English ones" in caplog.text
    assert "no document of 4 is kept: dropped_no_country 4" in caplog.text


def test_all_sources_are_checked_before_one_is_read(tmp_path: Path) -> None:
    good = write_table(tmp_path / "a.csv", [("Kenya", unlike(1))])
    wrong = [("table", tmp_path / "a.csv", {"txt": "text"}), ("lines", tmp_path / "no.txt", {})]
    with pytest.raises(InputError) as error:
        prepare_documents([good, *wrong], "en", None)
    assert len(error.value.problems) == 2


def test_draw_by_label_where_documents_carry_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    labels = ["north"] * 12 + ["south"] * 3
    frame = pd.DataFrame({"text": [unlike(n) for n in range(15)], "area": labels})
    frame.to_csv(path, index=False)
    source = ("table", path, {"text": "text", "region": "area"})
    documents, counts = prepare_documents([source], "en", None, Preparation(per_country=5))
    assert documents["region"].value_counts().sort("region").rows() == [("north", 5), ("south", 3)]
    assert total(counts, "not_sampled") == 7


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sizes=st.lists(st.integers(1, 30), min_size=2, max_size=4),
    per_country=st.sampled_from([None, 3]),
    order=st.randoms(use_true_random=False),
    batch_mb=st.sampled_from([1e-4, 1e-3, 16]),
)
def test_order_of_sources_and_size_of_batches_are_no_matter(
    tmp_path: Path, sizes: list[int], per_country: int | None, order: random.Random, batch_mb: float
) -> None:
    sources = []
    for number, size in enumerate(sizes):
        rows = [(("Kenya", "GHA", "")[n % 3], unlike(n + 20 * number)) for n in range(size)]
        sources.append(write_table(tmp_path / f"t{number}.csv", rows))
    results = []
    for mb in (16, batch_mb):
        preparation = Preparation(
            seed=1, per_country=per_country, near_duplicates=0.8, limits=Limits(batch_mb=mb)
        )
        results.append(prepare_documents(list(sources), "en", GAZETTEER, preparation))
        order.shuffle(sources)
    (first, first_counts), (second, second_counts) = results
    assert first.equals(second)
    pd.testing.assert_frame_equal(first_counts, second_counts)
    check_identity(first_counts)


def test_settings_of_the_configuration_become_a_preparation() -> None:
    from biasatlas.config.corpora import Documents

    settings_ = Documents(damaged="keep", per_country=7, max_unpacked_gb=2).model_dump(
        exclude={"language_model", "batch_kb"}
    )
    made = make_preparation(settings_, seed=3, language_model="m.ftz", boilerplate_documents=None)
    assert made.limits == Limits(damaged="keep", max_unpacked_gb=2)
    assert (made.per_country, made.near_duplicates, made.seed) == (7, 0.8, 3)
