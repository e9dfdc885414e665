"""Makes tables of docs/results.md from seeds alone.

    python3 scripts/experiments/results OUT --seeds seeds.csv --expressions prove.csv [--only SECTION ...]

    section       tables of docs/results.md                       two cores
    unlearned     Which unlearned search is best                  half an hour
    guided        The learned order wins                          three hours
    expressions   Expressions of Caviar                           two hours
    recipes       Recipes as strategies                           not kept

OUT gets a directory and a file of tables in Markdown for each section. What is there already is not made again,
so that a run that was stopped goes on. Needs the data of Caviar (CC 2022), whose expressions of Halide's compiler are
`seeds.csv` and `prove.csv` (a column `expression` each; not kept here), pyarrow (scripts/requirements.txt) and a release build.
"""

import argparse
import contextlib
import io
import pathlib
import sys

import expressions
import guided
import recipes
import unlearned
from commands import ROOT, Run

SECTIONS = {
    "unlearned": unlearned.section,
    "guided": guided.section,
    "expressions": expressions.section,
    "recipes": recipes.section,
}


class Both(io.TextIOBase):
    """Writes to the standard output and to a file."""

    def __init__(self, file):
        self.file, self.out = file, sys.stdout

    def write(self, text):
        self.out.write(text)
        return self.file.write(text)

    def flush(self):
        self.out.flush()
        self.file.flush()


def main():
    parser = argparse.ArgumentParser(prog="results", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", type=pathlib.Path, required=True, help="Halide expressions, a CSV file with a column `expression`")
    parser.add_argument("--expressions", type=pathlib.Path, required=True, help="expressions to be proved 1 or 0, such a file")
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--only", nargs="+", default=list(SECTIONS), choices=list(SECTIONS), metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--families", nargs="+", default=["theorem", "identity", "ring"], metavar="FAMILY", help="of the section `guided`")
    parser.add_argument("--works", nargs="+", type=int, default=guided.WORKS, metavar="N", help="of the section `guided`")
    arguments = parser.parse_args()
    arguments.cairn = arguments.cairn.resolve()
    for name in arguments.only:
        run = Run(arguments.cairn, arguments.out.resolve() / name)
        with (run.out.parent / f"{name}.md").open("w") as file, contextlib.redirect_stdout(Both(file)):
            print(f"## {name}")
            SECTIONS[name](run, arguments)


if __name__ == "__main__":
    main()
