"""Read the lists of a language, mend them by rule, and find gendered forms."""

import logging

from biasatlas.files import write_parquet
from biasatlas.lexicons.gendered_forms import add_plain_variant
from biasatlas.lexicons.weathub import read_lists
from biasatlas.lexicons.word_lists import load_tests
from biasatlas.logs import start

given, params, output = snakemake.input, snakemake.params, snakemake.output
language = snakemake.wildcards.language
log = logging.getLogger(__name__)
with start(snakemake.log[0], f"read_weathub_lists {language}"):
    # The user's own copy is read where it stands.
    folder = params.folder or (given.published if params.published else None)
    own = load_tests(given.own) if given.own else []
    lists = read_lists(folder, language, own, params.variants)
    words, forms = add_plain_variant(lists.words, language, params.gender_rules_folder)
    words = words[words["variant"].isin(params.variants)]
    log.info(
        "%d entries, %d problems, %d gendered forms", len(words), len(lists.problems), len(forms)
    )
    write_parquet(words, output.words)
    write_parquet(lists.problems, output.problems)
    write_parquet(forms, output.gendered_forms)
