#!/usr/bin/env python3
"""Random functions of C before and after `cairn optimise --c-file`, compiled by gcc or another compiler and run side by side.

    c_functions.py BINARY [--functions 200] [--batch 200] [--seed 0] [--work 2000] [--compilers gcc,clang] [--expressions] [--keep DIR]

Functions have parameters of all types from bool to 64 bits, mixed, all operators of C on integers, casts, choices, temporaries and
returns in branches; divisors are not zero and words are shifted by less than their width, and signed numbers may wrap around (the
original is compiled with -fwrapv). What Cairn makes of them must have no undefined behaviour (-fsanitize=undefined, where the compiler
has it) and the same values at corners and random points. With --expressions each function is one expression of a return. Exit status 1
if a value differs; the files stay in DIR.
"""
import argparse
import random
import shutil
import sys

import batches
from batches import run

TYPES = {"bool": (1, False)} | {f"{'u' * (not s)}int{n}_t": (n, s) for n in (8, 16, 32, 64) for s in (False, True)}
POINTS = 40


class Writer:
    """Writes one random function."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.parameters = [(f"{'xyzw'[i]}", rng.choice(list(TYPES))) for i in range(rng.randint(1, 3))]
        self.variables = list(self.parameters)

    def literal(self):
        rng = self.rng
        return rng.choice([str(rng.randint(0, 9)), hex(rng.getrandbits(rng.choice([8, 16, 32]))), f"{rng.getrandbits(31)}",
                           f"{rng.getrandbits(64):#x}ull", f"-{rng.randint(1, 300)}", f"{1 << rng.randint(0, 31)}u"])

    def leaf(self):
        return self.literal() if self.rng.random() < 0.3 else self.rng.choice(self.variables)[0]

    def expression(self, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf()
        a, b = (lambda: self.expression(depth - 1)), (lambda: self.expression(rng.randint(0, depth - 1)))
        kind = rng.random()
        if kind < 0.45:
            return f"({a()} {rng.choice('+-*&|^+-&|^')} {b()})"
        if kind < 0.53:
            # A shift by less than the least width that is computed with.
            amount = rng.choice([str(rng.randint(0, 31)), f"({b()} & {rng.choice([7, 15, 31])})"])
            return f"({a()} {rng.choice(['<<', '>>'])} {amount})"
        if kind < 0.58:
            # Not by 1, but as a literal: gcc 12 makes x / -d of -(x / d), which traps at the least x and d = 1, -fwrapv or not.
            divisor = rng.choice([str(rng.randint(1, 100)), f"(({b()} & 7) + 2)", f"{1 << rng.randint(0, 20)}"])
            return f"({a()} {rng.choice('/%')} {divisor})"
        if kind < 0.68:
            return f"({a()} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {b()})"
        if kind < 0.73:
            return f"({a()} {rng.choice(['&&', '||'])} {b()})"
        if kind < 0.80:
            return f"({b()} ? {a()} : {b()})"
        if kind < 0.90:
            return f"({rng.choice(list(TYPES))})({a()})"
        if kind < 0.93:
            return f"__builtin_popcount({a()})"
        return f"{rng.choice('~-!+')}({a()})"

    def assignment(self, depth):
        name, _ = self.rng.choice(self.variables)
        operator = self.rng.choice(["", "+", "-", "*", "&", "|", "^"])
        return self.rng.choice([f"{name} {operator}= {self.expression(depth)};"] * 4 + [f"{name}++;"])

    def function(self, is_expression):
        rng = self.rng
        result = rng.choice(list(TYPES))
        head = f"{result} {self.name}({', '.join(f'{t} {n}' for n, t in self.parameters)})"
        if is_expression:
            return f"{head} {{ return {self.expression(rng.randint(2, 4))}; }}"
        lines = []
        for i in range(rng.randint(0, 3)):
            kind = rng.random()
            if kind < 0.5:
                ctype, expression = rng.choice(list(TYPES)), self.expression(2)
                lines.append(f"{ctype} v{i} = {expression};")
                self.variables.append((f"v{i}", ctype))
            elif kind < 0.75:
                lines.append(self.assignment(2))
            else:
                otherwise = f" else {{ {self.assignment(1)} }}" if rng.random() < 0.5 else ""
                branch = self.assignment(1) if rng.random() < 0.7 else f"return {self.expression(1)};"
                lines.append(f"if ({self.expression(2)}) {{ {branch} }}{otherwise}")
        lines.append(f"return {self.expression(2)};")
        return head + " {\n" + "".join(f"    {line}\n" for line in lines) + "}"


def points(rng, parameters):
    corners = [0, 1, 2, -1, -2, 127, 128, 255, 32767, 32768, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63)]
    return [[rng.choice(corners) if rng.random() < 0.5 else rng.getrandbits(64) for _ in parameters] for _ in range(POINTS)]


def main_text(writers, rng):
    """A program that prints the values of all functions at their points. Points stand in tables: compilers are slow with thousands
    of calls in one function."""
    tables, lines = [], []
    for writer in writers:
        rows = ", ".join("{" + ", ".join(f"{v % 2**64:#x}ull" for v in point) + "}" for point in points(rng, writer.parameters))
        name = writer.name
        tables.append(f"static const uint64_t p_{name}[{POINTS}][{len(writer.parameters)}] = {{{rows}}};")
        args = ", ".join(f"({t})p_{name}[i][{k}]" for k, (_, t) in enumerate(writer.parameters))
        lines.append(f'    for (int i = 0; i < {POINTS}; i++) printf("{name} %llx\\n", (unsigned long long){name}({args}));')
    return "\n".join(tables) + "\nint main(void) {\n" + "\n".join(lines) + "\n}\n"


def batch(args, folder, number):
    rng = random.Random(f"{args.seed} {number}")
    writers = [Writer(rng, f"f{i}") for i in range(args.batch)]
    head = "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    text = head + "\n".join(writer.function(args.expressions) for writer in writers) + "\n"
    (folder / "before.c").write_text(text)
    after = run([args.binary, "optimise", "--system", "words", "--c-file", folder / "before.c", "--work", args.work, "--quiet"])
    # What was left as it is has nothing to compare, and may have what -fwrapv alone allows.
    told = [line for line in after.splitlines() if line.startswith("// ")]
    anew = [writer for writer, line in zip(writers, told, strict=True) if " equals " in line and "not taken" not in line]
    values = main_text(anew, rng)
    (folder / "before.c").write_text(text + values)
    (folder / "after.c").write_text(after + values)
    found = {}
    for compiler in args.compilers:
        for name, options in (("before", ["-fwrapv"]), ("after", ["-fsanitize=undefined", "-fno-sanitize-recover"])):
            program = folder / f"{name}-{compiler}"
            run([compiler, "-w", "-O1", *options, "-o", program, folder / f"{name}.c"])
            found[name, compiler] = run([program]).splitlines()
    first = found["before", args.compilers[0]]
    wrong = set()
    for key, lines in found.items():
        wrong |= {(key, a.split()[0]) for a, b in zip(lines, first, strict=True) if a != b}
    return sorted(wrong), len(anew), len(first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    batches.add_arguments(parser, 200)
    parser.add_argument("--compilers", default="gcc,clang", type=lambda names: [n for n in names.split(",") if shutil.which(n)])
    parser.add_argument("--expressions", action="store_true", help="one expression a function")
    args = parser.parse_args()
    if not args.compilers:
        sys.exit("no compiler was found")
    changed, compared, bad = 0, 0, []
    for wrong, better, values in batches.each(args, lambda folder, number: batch(args, folder, number)):
        bad, changed, compared = bad + wrong, changed + better, compared + values
    done = -(-args.functions // args.batch) * args.batch
    print(f"{done} functions, {changed} of them better, {compared} values with {', '.join(args.compilers)}: {len(bad)} functions differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
