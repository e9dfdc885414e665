#!/usr/bin/env python3
"""Optimise and prove random terms of eight systems end to end, each within limits of time and memory.

    soak.py BINARY [--terms 2000] [--seconds N] [--jobs 2] [--seed 0] [--work N] [--systems words,mba,...] [--journal FILE]

By default work, as users run it. For each term: `cairn optimise` must answer within a minute and 2 GiB; its best term must have the
term's value at 100 random points; the proof must be accepted by `cairn check` and by check_proof.py. Then `cairn prove` is asked for the
same equality under the same limits; it may fail to find a proof, and one that it finds is checked in the same way. Ends after so many
terms of each system, or so many seconds. With --journal what was done is kept in a file, and the same command goes on from there. What
went wrong is printed, a line each, and a table; exit status 1 if anything did.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_proof

LIMIT_S, LIMIT_BYTES, POINTS = 60, 2 << 30, 100

# Operators by system: binary, unary, leaves; the values of its variables.
WORDS = (["+", "*", "&", "|", "^", "-"], ["~", "neg"], ["x", "y", "z", "1", "2", "0"])
NUMBERS = (["+", "-", "*"], [], ["x", "y", "z", "1", "2", "-1", "0"])
SYSTEMS = {
    "words": (WORDS, 32),
    "mba": (WORDS, 64),
    "bitvectors": ((["+", "-", "and", "or", "xor"], ["not", "neg"], ["x", "y", "z", "zero", "one", "ones"]), 64),
    "halide": ((["+", "-", "*", "min", "max"], [], ["x", "y", "z", "1", "2", "-1", "0"]), int),
    "ring": (NUMBERS, int),
    "polynomials": (NUMBERS, int),
    "math": ((["+", "-", "*", "div", "pow"], [], ["x", "y", "z", "1", "2", "-1", "0"]), Fraction),
    "prop": ((["&", "|", "->"], ["~"], ["x", "y", "z"]), bool),
}


class Unknown(Exception):
    """A term has no value at a point, or none that is known here."""


def random_term(rng, system, depth):
    (binary, unary, leaves), _ = SYSTEMS[system]
    if system == "words":
        binary, unary = [f"{op}:32" for op in binary], [f"{op}:32" for op in unary]
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves)
    if unary and rng.random() < 0.25:
        return f"({rng.choice(unary)} {random_term(rng, system, depth - 1)})"
    return f"({rng.choice(binary)} {random_term(rng, system, depth - 1)} {random_term(rng, system, depth - 1)})"


def of_several_widths(op, args):
    """What the operators of words.rules compute, which say their widths; truth values are those of 1 bit."""
    name, *widths = op.split(":")
    kinds = {"select": ["b", *widths[:1] * 2], "&&": ["b", "b"], "||": ["b", "b"], "!": ["b"]}.get(name, widths[:1] * len(args))
    kinds = ["b" if kind in ("b", "1") else int(kind) for kind in kinds]
    found = check_proof.builtin(op, list(zip(kinds, args, strict=True)))
    if found is None:
        raise ValueError(f"{op} on {args}")
    return int(found[1])


def of_words(op, args, bits):
    if ":" in op or op in ("&&", "||", "!"):
        return of_several_widths(op, args)
    mask = (1 << bits) - 1
    if len(args) == 1:
        return {"~": ~args[0], "not": ~args[0], "neg": -args[0], "-": -args[0]}[op] & mask
    a, b = args
    if op in ("/", "%") and b == 0:
        raise Unknown
    if op in ("<<", ">>", "shl") and b >= bits:
        raise Unknown
    names = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
             "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b, "/": lambda: a // b, "%": lambda: a % b,
             "<<": lambda: a << b, "shl": lambda: a << b, ">>": lambda: a >> b,
             "<": lambda: int(a < b), "<=": lambda: int(a <= b), "==": lambda: int(a == b)}
    return names[op]() & mask


def of_truth(op, args):
    names = {"&": lambda a, b: a and b, "|": lambda a, b: a or b, "->": lambda a, b: not a or b, "~": lambda a: not a}
    return names[op](*args)


def of_numbers(op, args, kind):
    if len(args) == 1:
        raise Unknown
    a, b = args
    if op == "pow":
        if b != int(b) or abs(b) > 8 or (a == 0 and b <= 0) or abs(a) > 10**12:
            raise Unknown
        return Fraction(a) ** int(b)
    if op in ("div", "/", "%"):
        if b == 0 or (kind is int and op == "div"):
            raise Unknown
        if kind is Fraction:
            return Fraction(a) / b
        # Halide's division rounds so that the remainder is not negative.
        rest = a % abs(b)
        return rest if op == "%" else (a - rest) // b
    names = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "min": lambda: min(a, b), "max": lambda: max(a, b)}
    if op not in names:
        raise Unknown
    return names[op]()


def value(term, point, kind):
    if isinstance(term, str):
        if term in point:
            return point[term]
        if term in ("zero", "one", "ones"):
            return {"zero": 0, "one": 1, "ones": (1 << kind) - 1}[term]
        if kind is bool:
            return {"true": True, "false": False, "1": True, "0": False}[term]
        return int(term) & ((1 << kind) - 1) if isinstance(kind, int) else kind(term)
    args = [value(arg, point, kind) for arg in term[1:]]
    if kind is bool:
        return of_truth(term[0], args)
    return of_words(term[0], args, kind) if isinstance(kind, int) else of_numbers(term[0], args, kind)


def points(rng, kind):
    """Corner values and random ones."""
    for _ in range(POINTS):
        if kind is bool:
            draw = lambda: rng.random() < 0.5
        elif isinstance(kind, int):
            draw = lambda: rng.choice([rng.getrandbits(kind), rng.getrandbits(kind), rng.getrandbits(3), (1 << kind) - 1 - rng.getrandbits(2)])
        else:
            draw = lambda: kind(rng.choice([rng.randint(-3, 3), rng.randint(-1000, 1000)]))
        yield {name: draw() for name in "xyz"}


def differs(rng, before, after, kind):
    """A point at which two terms have different values, if one was found, and at how many both had one."""
    before, after = (check_proof.read_sexprs(text)[0] for text in (before, after))
    seen = 0
    for point in points(rng, kind):
        try:
            a, b = value(before, point, kind), value(after, point, kind)
        except Unknown:
            continue
        seen += 1
        if a != b:
            return point, seen
    return None, seen


def run(command):
    """Exit status (None: too long), output, messages, seconds, MiB."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    began = time.time()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=limit)
        timer = threading.Timer(LIMIT_S, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        seconds = time.time() - began
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    late = code < 0 and seconds >= LIMIT_S
    return None if late else code, texts[0], texts[1], seconds, usage.ru_maxrss / 1024


class Soak:
    def __init__(self, args):
        self.args = args
        rules = {name: ROOT / f"configs/systems/{name}.rules" for name in SYSTEMS}
        self.rules, self.checkers = rules, {name: check_proof.System(path) for name, path in rules.items()}

    def accepted(self, system, proof, ends):
        """Why a proof file is not accepted by both checkers; None if it is."""
        code, _, message, *_ = run([self.args.binary, "check", str(proof), "--system", str(self.rules[system])])
        if code != 0:
            return f"cairn check: {message.strip()[:100]}"
        try:
            proved = check_proof.check(self.checkers[system], check_proof.read_proof(proof.read_text()))
        except check_proof.WRONG as error:
            return f"check_proof.py: {error}"
        shown = [check_proof.show(term) for term in proved]
        return None if ends is None or shown == list(ends) else f"a proof of {shown[0]} = {shown[1]}"

    def term(self, system, number):
        """What became of one term, as a dictionary."""
        rng = random.Random(f"{self.args.seed}/{system}/{number}")
        text, kind = random_term(rng, system, rng.randint(1, 4)), SYSTEMS[system][1]
        if system == "words" and not text.startswith("("):
            # A name alone could be a word of any width.
            text = f"(+:32 {text} 0)"
        done = {"system": system, "number": number, "term": text, "wrong": []}
        with tempfile.TemporaryDirectory() as folder:
            proof = pathlib.Path(folder) / "proof.json"
            common = ["--system", str(self.rules[system]), "--quiet", "--threads", "1", "--out", str(proof)]
            work = ["--work", str(self.args.work)] if self.args.work else []
            command = [self.args.binary, "optimise", "--term", text, "--format", "json", *common, *work]
            code, out, message, done["seconds"], done["mib"] = run(command)
            if code != 0:
                what = f"no answer in {LIMIT_S} s" if code is None else f"exit status {code}: {message.strip()[:100]}"
                done["wrong"].append(f"optimise: {what}")
                return done
            best = json.loads(out)["best"][-1]["term"]
            done["best"] = best
            point, done["points"] = differs(rng, text, best, kind)
            if point:
                done["wrong"].append(f"another value at {point}: {best}")
            refused = self.accepted(system, proof, (text, best))
            if refused:
                done["wrong"].append(f"optimise: {refused}")
            proof.unlink()
            command = [self.args.binary, "prove", "--start", text, "--target", best, *common, *work]
            code, out, message, done["prove_seconds"], done["prove_mib"] = run(command)
            done["proved"] = code == 0
            if code is None or code not in (0, 3):
                what = f"no answer in {LIMIT_S} s" if code is None else f"exit status {code}: {message.strip()[:100]}"
                done["wrong"].append(f"prove: {what}")
            elif code == 0 and (refused := self.accepted(system, proof, (text, best))):
                done["wrong"].append(f"prove: {refused}")
        return done


def table(rows):
    print("| system | terms | wrong | optimise s: median, longest | MiB at most | prove s: median, longest | MiB at most | proved | compared at a point |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for system in SYSTEMS:
        own = [row for row in rows if row["system"] == system]
        if not own:
            continue
        column = lambda name: sorted(row[name] for row in own if name in row) or [0]
        middle = lambda all: all[len(all) // 2]
        seconds, proving = column("seconds"), column("prove_seconds")
        print(f"| {system} | {len(own)} | {sum(bool(row['wrong']) for row in own)} | {middle(seconds):.2f}, {seconds[-1]:.1f} "
              f"| {column('mib')[-1]:.0f} | {middle(proving):.2f}, {proving[-1]:.1f} | {column('prove_mib')[-1]:.0f} "
              f"| {sum(row.get('proved', False) for row in own)} | {sum(row.get('points', 0) > 0 for row in own)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--terms", type=int, default=2000, help="of each system")
    parser.add_argument("--seconds", type=float, help="begin no further term after so many")
    parser.add_argument("--jobs", type=int, default=2, help="terms at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=int, default=0, help="e-nodes [default: that of the program]")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--journal", type=pathlib.Path, help="what was done, a line of JSON each; goes on from there")
    args = parser.parse_args()
    sys.setrecursionlimit(20_000)
    systems, end = args.systems.split(","), time.time() + (args.seconds or float("inf"))
    if unknown := [name for name in systems if name not in SYSTEMS]:
        parser.error(f"unknown system {unknown[0]}: expected some of {', '.join(SYSTEMS)}")
    rows = []
    if args.journal and args.journal.exists():
        rows = [json.loads(line) for line in args.journal.read_text().splitlines()]
    known = {(row["system"], row["number"]) for row in rows}
    soak, lock = Soak(args), threading.Lock()
    todo = [(system, number) for number in range(args.terms) for system in systems if (system, number) not in known]

    def one(item):
        if time.time() >= end:
            return
        row = soak.term(*item)
        with lock:
            rows.append(row)
            if args.journal:
                with args.journal.open("a") as journal:
                    journal.write(json.dumps(row) + "\n")
            for wrong in row["wrong"]:
                print(f"{row['system']}: {row['term']}: {wrong}", flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, todo))
    table(rows)
    wrong = sum(bool(row["wrong"]) for row in rows)
    print(f"{wrong} of {len(rows)} terms went wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
