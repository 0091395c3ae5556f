"""Print the page that describes the tables."""

import sys

from biasatlas.tables.page import markdown

if __name__ == "__main__":
    sys.stdout.write(markdown())
