"""Check every word list under resources; a list with an error stops the run."""

import logging
from pathlib import Path

from biasatlas.errors import InputError
from biasatlas.lexicons.lint import lint, list_errors
from biasatlas.logs import start
from biasatlas.tables import write_table

log = logging.getLogger(__name__)

with start(snakemake.log[0], "lint_word_lists"):
    folder = Path(snakemake.input.gazetteer).parents[1]
    frame = lint(folder)
    errors = list_errors(frame, folder)
    if errors:
        raise InputError(errors)
    log.info("no errors, %d warnings", len(frame))
    write_table("word_lists", frame, snakemake.output[0])
