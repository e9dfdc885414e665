"""Random functions before and after `cairn optimise`, put to z3: the output is a refinement of the input. What `llvm_functions.py` and
`mlir_functions.py` have in common."""
import argparse
import collections
import random
import re
import shutil
import sys
import typing

import batches
from batches import run
from llvm_meaning import query


class Language(typing.NamedTuple):
    # The option of cairn, and how names of files end.
    option: str
    suffix: str
    # A random function by a source of numbers, its name and the arguments.
    write: typing.Callable
    # A file of functions.
    module: typing.Callable
    # The functions of a file as LLVM IR, by name.
    functions: typing.Callable
    # A command that accepts what is well formed, or None and why that is not tested.
    verify: list | None
    lacks: str


def batch(language, args, folder, number):
    rng = random.Random(f"{args.seed} {number}")
    before = [language.write(rng, f"f{i}", args) for i in range(min(args.batch, args.functions - number))]
    before = language.module(before)
    files = {when: folder / f"{when}.{language.suffix}" for when in ("before", "after")}
    files["before"].write_text(before)
    after = run([args.binary, "optimise", "--system", "words", language.option, files["before"], "--work", args.work, "--quiet"])
    files["after"].write_text(after)
    if language.verify:
        for file in files.values():
            run([*language.verify, file])
    if args.broken:
        after = re.sub(*args.broken, after)
        files["after"].write_text(after)
    after = language.functions(after)
    pairs = [(name, text, after[name]) for name, text in language.functions(before).items()]
    changed = [(name, query(a, b, args.undef)) for name, a, b in pairs if a != b]
    asked = [(name, text) for name, text in changed if text]
    script = "(set-option :timeout %d)\n" % args.timeout
    script += "\n".join(f"(push)\n{text}\n(check-sat)\n(pop)" for _, text in asked)
    (folder / "queries.smt2").write_text(script)
    answers = run(["z3", folder / "queries.smt2"]).split()
    assert len(answers) == len(asked), answers
    verdicts = collections.Counter(answers)
    verdicts["skipped"] = len(changed) - len(asked)
    return [name for (name, _), answer in zip(asked, answers) if answer == "sat"], len(changed), verdicts


def main(language, description, undef=False):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    batches.add_arguments(parser, 100)
    parser.add_argument("--timeout", type=int, default=5000, help="milliseconds of z3 for each function")
    if undef:
        parser.add_argument("--undef", action="store_true", help="parameters may be undefined, too")
    parser.add_argument("--break", dest="broken", type=lambda text: text.split("=", 1), help="replace what matches in the output")
    parser.set_defaults(undef=False)
    args = parser.parse_args()
    if not language.verify:
        print(f"NOT TESTED: {language.lacks}", file=sys.stderr)
    if not shutil.which("z3"):
        sys.exit("z3 was not found")
    changed, verdicts, bad = 0, collections.Counter(), []
    for wrong, better, answers in batches.each(args, lambda folder, number: batch(language, args, folder, number)):
        bad, changed, verdicts = bad + wrong, changed + better, verdicts + answers
    print(f"{args.functions} functions, {changed} of them better: {verdicts['unsat']} proved, {verdicts['unknown']} not decided, "
          f"{verdicts['skipped']} not asked, {len(bad)} refuted")
    sys.exit(1 if bad else 0)
