"""Print what is wrong or odd in a folder of word lists; status 1 where there is an error."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from biasatlas.errors import InputError
from biasatlas.lexicons.lint import lint


def main(arguments: list[str] | None = None) -> int:
    """Lint a folder and write one line a problem; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m biasatlas.lexicons", description=__doc__)
    parser.add_argument("folder", nargs="?", default="resources", help="folder or file to check")
    folder = Path(parser.parse_args(arguments).folder)
    try:
        frame = lint(folder)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    below = folder.parent if folder.is_file() else folder
    for row in frame.to_dict("records"):
        word = f" '{row['word']}'" if row["word"] else ""
        where = f"{below / row['file']}:{row['line']}"
        sys.stdout.write(f"{where}: {row['severity']}: {row['place']}{word}: {row['problem']}\n")
    errors = int((frame["severity"] == "error").sum())
    sys.stdout.write(f"errors: {errors}, warnings: {len(frame) - errors}\n")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
