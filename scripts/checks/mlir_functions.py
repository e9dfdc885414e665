#!/usr/bin/env python3
"""Random functions of MLIR before and after `cairn optimise --mlir`, put to z3: the output is a refinement of the input.

    mlir_functions.py BINARY [--functions 200] [--batch 100] [--seed 0] [--work 2000] [--break REGEX=TO] [--keep DIR]

Functions have integers of 1 to 64 bits and `index`, mixed, all operations of `arith` that Cairn knows, flags, some operations that it does not know,
parameters with and without `llvm.noundef`, calls, `scf.if` and blocks with arguments. Values in regions side by side have the same names. `mlir-opt`
(or what MLIR_OPT names) has to accept the output, where it is there. Each function is written as one of LLVM IR (mlir_as_llvm.py), and z3 is asked what `llvm_functions.py` asks:
arguments and results of calls, poison among them, for which the input has no undefined behaviour, and the output has, or calls or returns
something else, or poison where the input has a value.

Not covered: undefined values, behaviour that is undefined only after a call that does not return, loops. --break replaces what matches in the output
before it is put to z3, to see that what is wrong is found. Exit status 1 if a function is refuted, or refused by mlir-opt; the files stay in DIR.
"""
import os
import re
import shutil

import llvm_functions
import mlir_as_llvm
import refinements

WIDTHS = llvm_functions.WIDTHS
OPERATIONS = {llvm: mlir for mlir, llvm in (mlir_as_llvm.BINARY | mlir_as_llvm.CONVERSIONS).items()}
HEADS = ("arith", "math")


class Writer(llvm_functions.Writer):
    """Writes one random function: instructions of LLVM IR as operations."""

    def __init__(self, rng, name):
        super().__init__(rng, name, False)
        # Values of 64 bits that are of the type `index`.
        self.index = {value for value, bits in self.values if bits == 64 and rng.random() < 0.5}
        self.indent = 4

    def type_of(self, value, bits):
        return "index" if value in self.index else f"i{bits}"

    def name_it(self, of_type):
        self.taken += 1
        name = f"%v{self.taken}"
        # What had the name before was of a region that is left.
        self.index.discard(name)
        if of_type == "index":
            self.index.add(name)
        return name

    def line(self, text):
        self.lines.append(" " * self.indent + text)

    def as_type(self, value, bits, of_type):
        """A value, or a literal, as a value of a type."""
        if not value.startswith("%"):
            text = value if value in ("true", "false") else f"{value} : {of_type}"
            name = self.name_it(of_type)
            self.line(f'{name} = "arith.constant"() <{{value = {text}}}> : () -> {of_type}')
            return name
        known = self.type_of(value, bits)
        if known == of_type:
            return value
        name = self.name_it(of_type)
        cast = self.rng.choice(["index_cast", "index_castui"])
        self.line(f'{name} = "arith.{cast}"({value}) : ({known}) -> {of_type}')
        return name

    def common(self, values, bits):
        if bits != 64:
            return f"i{bits}"
        of_index = sum(value in self.index for value in values)
        return "index" if self.rng.random() < (0.1, 0.7, 0.9)[min(of_index, 2)] else "i64"

    def result(self, name, operands, types, of_type, bits, properties=""):
        properties = f" <{{{properties}}}>" if properties else ""
        result = self.name_it(of_type)
        self.line(f'{result} = "{name}"({", ".join(operands)}){properties} : ({", ".join(types)}) -> {of_type}')
        self.values.append((result, bits))
        return result

    def define(self, text, bits):
        if found := re.match(r"call (?:noundef )?i\d+ @get(\d+)", text):
            of_type = "index" if bits == 64 and self.rng.random() < 0.5 else f"i{bits}"
            return self.result("func.call", [], [], of_type, bits, f"callee = @get{of_type.removeprefix('i') if of_type != 'index' else of_type}")
        if found := re.match(r"freeze i\d+ (\S+)", text):
            return found.group(1)
        if found := re.match(r"(zext|sext|trunc) i(\d+) (\S+) to i(\d+)", text):
            what, of, value = found.group(1), int(found.group(2)), found.group(3)
            value = self.as_type(value, of, self.type_of(value, of))
            from_type, to_type = self.type_of(value, of), self.common([], bits)
            name = f"arith.{OPERATIONS[what]}"
            if "index" in (from_type, to_type):
                name = "arith.index_castui" if what == "zext" else "arith.index_cast"
            return self.result(name, [value], [from_type], to_type, bits)
        if found := re.match(r"select i1 (\S+), i\d+ (\S+), i\d+ (\S+)$", text):
            condition, *values = found.groups()
            of_type = self.common(values, bits)
            condition = self.as_type(condition, 1, "i1")
            values = [self.as_type(value, bits, of_type) for value in values]
            return self.result("arith.select", [condition, *values], ["i1", of_type, of_type], of_type, bits)
        found = re.match(r"(icmp )?(\w+)((?: (?:nuw|nsw|exact))*) i(\d+) (\S+), (\S+)$", text)
        compares, what, flags, of, *values = found.groups()
        of = int(of)
        of_type = self.common(values, of)
        values = [self.as_type(value, of, of_type) for value in values]
        if compares:
            predicate = mlir_as_llvm.PREDICATES.index(what)
            return self.result("arith.cmpi", values, [of_type] * 2, "i1", 1, f"predicate = {predicate} : i64")
        flags = flags.split()
        properties = "isExact" if "exact" in flags else f"overflowFlags = #arith.overflow<{', '.join(reversed(flags))}>" if flags else ""
        if not flags and what in ("add", "sub", "mul", "shl") and self.rng.random() < 0.3:
            properties = "overflowFlags = #arith.overflow<none>"
        return self.result(f"arith.{OPERATIONS[what]}", values, [of_type] * 2, of_type, bits, properties)

    def called(self, a, bits):
        what = self.rng.choice(["minui", "maxui", "minsi", "maxsi"] * 2 + ["ctpop", "ctlz", "cttz", "absi"])
        if bits == 64 and what[0] != "m":
            what = "minsi"
        values = [a, self.operand(bits)] if what[0] == "m" else [a]
        of_type = self.common(values, bits)
        values = [self.as_type(value, bits, of_type) for value in values]
        return self.result(f"{HEADS[len(values) == 1]}.{what}", values, [of_type] * len(values), of_type, bits)

    def use(self, value, bits):
        of_type = self.type_of(value, bits)
        self.line(f'"func.call"({value}) <{{callee = @use{bits if of_type != "index" else "index"}}}> : ({of_type}) -> ()')

    def choice(self):
        """An operation with two regions, in which names are the same."""
        condition, known, taken = self.as_type(self.operand(1), 1, "i1"), list(self.values), self.taken
        result, index = f"%v{self.taken + 1}", set(self.index)
        self.line(f'{result} = "scf.if"({condition}) ({{')
        for side in range(2):
            self.values, self.taken, self.index = list(known), taken, set(index)
            self.indent += 2
            self.some(self.rng.randint(1, 4))
            value = self.as_type(self.operand(self.main), self.main, f"i{self.main}")
            self.line(f'"scf.yield"({value}) : (i{self.main}) -> ()')
            self.indent -= 2
            self.line("}, {" if side == 0 else f"}}) : (i1) -> i{self.main}")
        self.values, self.taken, self.index = known, taken + 1, index - {result}
        self.values.append((result, self.main))

    def branch(self):
        condition, known = self.as_type(self.operand(1), 1, "i1"), list(self.values)
        of_type, count = f"i{self.main}", self.rng.randrange(2)
        first = [self.as_type(self.operand(self.main), self.main, of_type)] * count
        types = ", ".join(["i1", *[of_type] * count])
        sizes = f"operandSegmentSizes = array<i32: 1, {count}, 0>"
        self.line(f'"cf.cond_br"({", ".join([condition, *first])})[^bb1, ^bb2] <{{{sizes}}}> : ({types}) -> ()')
        for label in ("bb1", "bb2"):
            self.values = list(known)
            self.lines.append(f"  ^{label}:")
            if label == "bb1" and count:
                self.taken += 1
                self.index.discard(f"%v{self.taken}")
                self.lines[-1] = f"  ^{label}(%v{self.taken}: {of_type}):"
                self.values.append((f"%v{self.taken}", self.main))
            self.some(self.rng.randint(1, 4))
            value = self.as_type(self.operand(self.main), self.main, of_type)
            self.line(f'"cf.br"({value})[^bb3] : ({of_type}) -> ()')
        self.taken += 1
        self.index.discard(f"%v{self.taken}")
        self.lines.append(f"  ^bb3(%v{self.taken}: {of_type}):")
        self.values = [*known, (f"%v{self.taken}", self.main)]

    def function(self):
        rng = self.rng
        self.some(rng.randint(2, 9))
        if (kind := rng.random()) < 0.5:
            self.choice() if kind < 0.3 else self.branch()
            self.some(rng.randint(1, 5))
        value, bits = self.values[-1] if rng.random() < 0.7 else rng.choice(self.values)
        of_type = self.type_of(value, bits)
        self.line(f'"func.return"({value}) : ({of_type}) -> ()')
        head = [(part.split()[-1], "noundef" in part) for part in self.head]
        types = [self.type_of(name, next(bits for value, bits in self.values if value == name)) for name, _ in head]
        attributes = ", ".join("{llvm.noundef}" if noundef else "{}" for _, noundef in head)
        properties = f'arg_attrs = [{attributes}], function_type = ({", ".join(types)}) -> {of_type}, sym_name = "{self.name}"'
        arguments = ", ".join(f"{name}: {of_type}" for (name, _), of_type in zip(head, types))
        return f'  "func.func"() <{{{properties}}}> ({{\n  ^bb0({arguments}):\n' + "\n".join(self.lines) + "\n  }) : () -> ()\n"


def module(texts):
    declared = ""
    for of_type in [*(f"i{bits}" for bits in WIDTHS), "index"]:
        suffix = of_type if of_type == "index" else of_type[1:]
        for name, of in ((f"get{suffix}", f"() -> {of_type}"), (f"use{suffix}", f"({of_type}) -> ()")):
            declared += f'  "func.func"() <{{function_type = {of}, sym_name = "{name}", sym_visibility = "private"}}> ({{}}) : () -> ()\n'
    return '"builtin.module"() ({\n' + "".join(texts) + declared + "}) : () -> ()\n"


def main():
    mlir_opt = os.environ.get("MLIR_OPT") or shutil.which("mlir-opt")
    verify = [mlir_opt, "-o", "/dev/null"] if mlir_opt else None
    write = lambda rng, name, args: Writer(rng, name).function()
    refinements.main(refinements.Language("--mlir", "mlir", write, module, mlir_as_llvm.functions, verify,
                                          "the output by MLIR's verifier (mlir-opt is not there)"), __doc__)


if __name__ == "__main__":
    main()
