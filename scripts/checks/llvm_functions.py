#!/usr/bin/env python3
"""Random functions of LLVM IR before and after `cairn optimise --llvm`, put to z3: the output is a refinement of the input.

    llvm_functions.py BINARY [--functions 200] [--batch 100] [--seed 0] [--work 2000] [--undef] [--break REGEX=TO] [--keep DIR]

Functions have integers of 1 to 64 bits, mixed, all instructions and intrinsics that Cairn knows and some that it does not, flags,
parameters with and without `noundef`, calls, and blocks with a phi; half of them have numbers for names. `opt -passes=verify` has to
accept the output, where opt is there. Then z3 looks for arguments and results of calls, poison among them, for which the input has no
undefined behaviour, and the output has, or calls or returns what the input does not, or poison where the input has a value. A frozen poison may be
any word. With --undef functions are single blocks, and parameters may be undefined, too: another word for each use, through
all that is computed from it, which the output may choose so that no choice of the input gives the same.

Not covered: undefined results of calls, undefined bits of a word, behaviour that is undefined only after a call that does not return. --break replaces what matches in the
output before it is put to z3, to see that what is wrong is found. Exit status 1 if a function is refuted, or refused by opt; the
files stay in DIR.
"""
import re
import shutil

import refinements
from llvm_meaning import PREDICATES

WIDTHS = (1, 8, 16, 32, 64)
FLAGS = {"add": ["nuw", "nsw"], "sub": ["nuw", "nsw"], "mul": ["nuw", "nsw"], "shl": ["nuw", "nsw"],
         "lshr": ["exact"], "ashr": ["exact"], "udiv": ["exact"], "sdiv": ["exact"]}

class Writer:
    """Writes one random function."""

    def __init__(self, rng, name, undef):
        self.rng, self.name, self.undef = rng, name, undef
        self.main = 8 if undef else rng.choice((8, 16, 32, 32, 64))
        self.lines, self.taken = [], 0
        self.values = []
        self.head = []
        for letter in "xyz"[: rng.randint(1, 2 if undef else 3)]:
            bits = self.main if rng.random() < 0.8 or undef else rng.choice(WIDTHS)
            attribute = " noundef" if rng.random() < (0.3 if undef else 0.5) else ""
            self.head.append(f"i{bits}{attribute} %{letter}")
            self.values.append((f"%{letter}", bits))

    def literal(self, bits):
        if bits == 1:
            return self.rng.choice(["true", "false"])
        half = 1 << (bits - 1)
        some = self.rng.choice([0, 1, -1, 2, 3, 7, bits - 1, bits // 2, half - 1, -half, self.rng.getrandbits(bits) - half])
        return str((some + half) % (2 * half) - half)

    def operand(self, bits):
        known = [value for value, width in self.values if width == bits]
        if not known or self.rng.random() < 0.2:
            others = [pair for pair in self.values if pair[1] != bits]
            if not known and others and self.rng.random() < 0.7:
                return self.converted(*self.rng.choice(others), bits)
            return self.literal(bits)
        # The last ones are what has no use yet.
        return self.rng.choice(known[-3:] if self.rng.random() < 0.6 else known)

    def define(self, text, bits):
        self.taken += 1
        name = f"%v{self.taken}"
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, bits))
        return name

    def converted(self, value, bits, to):
        what = "trunc" if bits > to else self.rng.choice(["zext", "sext"])
        return self.define(f"{what} i{bits} {value} to i{to}", to)

    def amount(self, bits):
        if self.rng.random() < 0.6:
            return str(self.rng.randrange(bits))
        if self.rng.random() < 0.6:
            return self.define(f"and i{bits} {self.operand(bits)}, {bits - 1}", bits)
        return self.operand(bits)

    def instruction(self):
        rng = self.rng
        bits = self.main if rng.random() < 0.75 else rng.choice(WIDTHS[:2] if self.undef else WIDTHS)
        a, kind = self.operand(bits), rng.random()
        if bits == 1:
            b = self.operand(1)
            if rng.random() < 0.3:
                text = rng.choice([f"select i1 {a}, i1 {b}, i1 false", f"select i1 {a}, i1 true, i1 {b}"])
            else:
                text = f"{rng.choice(['and', 'or', 'xor', 'icmp eq', 'icmp ne', 'add'])} i1 {a}, {b}"
            return self.define(text, 1)
        if kind < 0.5:
            name = rng.choice(["add", "sub", "and", "or", "xor"] * 2 + ["mul", "shl", "lshr", "ashr"])
            shifts = name in ("shl", "lshr", "ashr")
            flags = [flag for flag in FLAGS.get(name, []) if rng.random() < 0.2 and (name, bits) != ("mul", 64)]
            b = self.amount(bits) if shifts else self.operand(bits)
            return self.define(" ".join([name, *flags, f"i{bits} {a}, {b}"]), bits)
        if kind < 0.56:
            name = rng.choice(["udiv", "urem", "sdiv", "srem"])
            b = str(rng.choice([1, 2, 3, 4, 8, 10, -1, -4])) if rng.random() < 0.7 else self.operand(bits)
            b = "3" if b == "0" else b
            exact = " exact" if name in FLAGS and rng.random() < 0.2 else ""
            return self.define(f"{name}{exact} i{bits} {a}, {b}", bits)
        if kind < 0.68:
            b = self.operand(bits)
            return self.define(f"icmp {rng.choice(list(PREDICATES))} i{bits} {a}, {b}", 1)
        if kind < 0.80:
            return self.define(f"select i1 {self.operand(1)}, i{bits} {a}, i{bits} {self.operand(bits)}", bits)
        if kind < 0.90:
            to = rng.choice([width for width in (WIDTHS[:2] if self.undef else WIDTHS) if width != bits])
            return self.converted(a, bits, to)
        return self.called(a, bits)

    def called(self, a, bits):
        rng = self.rng
        name = rng.choice(["ctpop", "ctlz", "cttz", "umin", "umax", "smin", "smax", "fshl", "fshr", "abs", "bswap"])
        if name in ("bswap", "abs") and (bits == 8 or self.undef):
            name = "ctpop"
        args = [f"i{bits} {a}"]
        if name in ("ctlz", "cttz", "abs"):
            args.append(f"i1 {rng.choice(['true', 'false'])}")
        elif name in ("fshl", "fshr"):
            args += [f"i{bits} {a if rng.random() < 0.7 else self.operand(bits)}", f"i{bits} {self.amount(bits)}"]
        elif name not in ("ctpop", "bswap"):
            args.append(f"i{bits} {self.operand(bits)}")
        return self.define(f"call i{bits} @llvm.{name}.i{bits}({', '.join(args)})", bits)

    def use(self, value, bits):
        self.lines.append(f"  call void @use{bits}(i{bits} {value})")

    def some(self, count):
        for _ in range(count):
            self.instruction()
            if self.undef:
                continue
            if self.rng.random() < 0.06:
                bits = self.rng.choice(WIDTHS)
                attribute = self.rng.choice(["", "", "noundef "])
                self.define(f"call {attribute}i{bits} @get{bits}()", bits)
            elif self.rng.random() < 0.08:
                value, bits = self.rng.choice(self.values)
                self.use(value, bits)
            elif self.rng.random() < 0.05:
                value, bits = self.rng.choice(self.values)
                self.define(f"freeze i{bits} {value}", bits)

    def function(self):
        rng = self.rng
        self.some(rng.randint(2, 5 if self.undef else 9))
        if not self.undef and rng.random() < 0.3:
            condition, known = self.operand(1), list(self.values)
            self.lines.append(f"  br i1 {condition}, label %then, label %else")
            found = []
            for label in ("then", "else"):
                self.values = list(known)
                self.lines += ["", f"{label}:" + " " * 20 + "; preds = %entry"]
                self.some(rng.randint(1, 4))
                found.append(self.operand(self.main))
                self.lines.append("  br label %join")
            self.values = known
            self.lines += ["", "join:" + " " * 20 + "; preds = %then, %else"]
            self.define(f"phi i{self.main} [ {found[0]}, %then ], [ {found[1]}, %else ]", self.main)
            self.some(rng.randint(1, 5))
        value, bits = self.values[-1] if rng.random() < 0.7 else rng.choice(self.values)
        self.lines.append(f"  ret i{bits} {value}")
        text = f"define i{bits} @{self.name}({', '.join(self.head)}) {{\nentry:\n" + "\n".join(self.lines) + "\n}\n"
        return numbered(text) if rng.random() < 0.5 else text


def numbered(text):
    """With numbers in the place of names. The first block has no label then."""
    order = re.findall(r"%[xyz](?=[,)])", text.split("\n")[0]) + ["%entry"]
    for line in text.split("\n")[2:]:
        found = re.match(r"  (%v\d+) = |(\w+):", line)
        if found:
            order.append(found.group(1) or f"%{found.group(2)}")
    number = {name: i for i, name in enumerate(order)}
    text = text.replace("entry:\n", "", 1)
    text = re.sub(r"^(\w+):", lambda m: f"{number['%' + m.group(1)]}:", text, flags=re.M)
    return re.sub(r"%\w+", lambda m: f"%{number[m.group()]}", text)


def functions(text):
    return {m.group(1): m.group() for m in re.finditer(r"^define \S+ @(\w+)\(.*?^}\n", text, flags=re.M | re.S)}


def declarations():
    text = "".join(f"declare i{n} @get{n}()\ndeclare void @use{n}(i{n})\n" for n in WIDTHS)
    for n in WIDTHS[1:]:
        one, two = f"i{n}", f"i{n}, i{n}"
        every = {"ctpop": one, "ctlz": f"{one}, i1", "cttz": f"{one}, i1", "abs": f"{one}, i1", "fshl": f"{two}, i{n}", "fshr": f"{two}, i{n}"}
        every |= {name: two for name in ("umin", "umax", "smin", "smax")} | ({"bswap": one} if n > 8 else {})
        text += "".join(f"declare i{n} @llvm.{name}.i{n}({types})\n" for name, types in every.items())
    return text


def main():
    opt = shutil.which("opt")
    verify = [opt, "-passes=verify", "-disable-output"] if opt else None
    write = lambda rng, name, args: Writer(rng, name, args.undef).function()
    module = lambda texts: "\n".join(texts) + "\n" + declarations()
    refinements.main(refinements.Language("--llvm", "ll", write, module, functions, verify, "the output by LLVM's verifier (opt is not there)"),
                     __doc__, undef=True)


if __name__ == "__main__":
    main()
