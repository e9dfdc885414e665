"""The program: ``python -m cairn_eqsat prove --system halide …``."""

import signal
import sys

from ._native import program


def main() -> None:
    """Does what the command line says, and ends with its exit code."""
    # Python's own handler would see an interrupt only when the program is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(program(["cairn", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
