"""What functions of LLVM IR compute, as SMT-LIB: whether one is a refinement of another. As `llvm_functions.py` writes them."""
import collections
import re
import sys

PREDICATES = {"eq": "=", "ne": "distinct", "ult": "bvult", "ule": "bvule", "ugt": "bvugt", "uge": "bvuge",
              "slt": "bvslt", "sle": "bvsle", "sgt": "bvsgt", "sge": "bvsge"}
BINARY = {"add": "bvadd", "sub": "bvsub", "mul": "bvmul", "and": "bvand", "or": "bvor", "xor": "bvxor", "shl": "bvshl", "lshr": "bvlshr",
          "ashr": "bvashr", "udiv": "bvudiv", "urem": "bvurem", "sdiv": "bvsdiv", "srem": "bvsrem"}

Word = collections.namedtuple("Word", "bits value poison")


def either(parts):
    parts = [part for part in parts if part != "false"]
    return "false" if not parts else f"(or false {' '.join(parts)})"


def both(a, b):
    return b if a == "true" else a if b == "true" else f"(and {a} {b})"


def word(number, bits):
    return f"(_ bv{number % (1 << bits)} {bits})"


class Meaning:
    """What a function computes, as SMT-LIB: definitions in their order, undefined behaviour, and what is seen of it."""

    def __init__(self, side, text, shared, undef):
        self.side, self.shared, self.undef = side, shared, undef
        self.definitions, self.free, self.values, self.trees = [], [], {}, {}
        self.seen, self.undefined, self.frozen, self.taken, self.calls = [], [], [], 0, 0
        lines = text.split("\n")
        head = lines[0]
        for i, (bits, attribute, name) in enumerate(re.findall(r"i(\d+)( noundef)? (%[\w.]+)", head[head.index("(") :])):
            bits = int(bits)
            value, poison = self.share(f"p{i}", f"(_ BitVec {bits})"), self.share(f"p{i}p", "Bool")
            poison = "false" if attribute else poison
            self.values[name] = Word(bits, value, poison)
            if undef and not attribute:
                self.trees[name] = ("leaf", name, self.share(f"p{i}u", "Bool"))
        label = "entry"
        if not any(re.match(r"entry:", line) for line in lines):
            label = str(len(self.values))
        self.reached, self.edges = {label: "true"}, collections.defaultdict(list)
        for line in lines[1:]:
            line = line.split(";")[0].strip()
            found = re.match(r"([\w.]+):$", line)
            if found:
                label = found.group(1)
                if label not in self.reached:
                    self.reached[label] = self.name_it("Bool", either(edge for _, edge in self.edges[label]))
            elif line and line != "}":
                self.here, self.label = self.reached[label], label
                self.line(line)

    def share(self, name, sort):
        self.shared[name] = sort
        return name

    def name_it(self, sort, text):
        self.taken += 1
        name = f"{self.side}{self.taken}"
        self.definitions.append((name, sort, text))
        return name

    def fresh(self, sort):
        self.taken += 1
        name = f"{self.side}{self.taken}"
        self.free.append((name, sort))
        return name

    def is_undefined(self, condition):
        if condition != "false":
            self.undefined.append(both(self.here, condition))

    def operand(self, text, bits):
        if not text.startswith("%"):
            return Word(bits, word({"true": 1, "false": 0}.get(text) if text in ("true", "false") else int(text), bits), "false")
        return self.again(text)

    def again(self, name):
        """The value of a name: where parameters may be undefined, computed once more for each use."""
        tree = self.trees.get(name)
        if tree is None:
            return self.values[name]
        if tree[0] == "leaf":
            known = self.values[name]
            value = f"(ite {tree[2]} {self.fresh(f'(_ BitVec {known.bits})')} {known.value})"
            return known._replace(value=value)
        return self.computed(tree[1])

    def line(self, line):
        found = re.match(r"(%[\w.]+) = (.*)", line)
        if found:
            name, text = found.groups()
            # What it is computed from may be undefined.
            is_tree = self.undef and not text.startswith("freeze") and any(n in self.trees for n in re.findall(r"%[\w.]+", text))
            if is_tree:
                self.trees[name] = ("tree", text)
                if not re.match("[us](div|rem)", text):
                    return
            value = self.computed(text, name)
            sort = f"(_ BitVec {value.bits})"
            self.values[name] = Word(value.bits, self.name_it(sort, value.value), self.name_it("Bool", value.poison))
            return
        if found := re.match(r"br label %([\w.]+)$", line):
            self.edges[found.group(1)].append((self.label, self.here))
        elif found := re.match(r"br i1 (\S+), label %([\w.]+), label %([\w.]+)$", line):
            condition = self.operand(found.group(1), 1)
            self.is_undefined(condition.poison)
            for target, truth in ((found.group(2), word(1, 1)), (found.group(3), word(0, 1))):
                self.edges[target].append((self.label, both(self.here, f"(= {condition.value} {truth})")))
        elif found := re.match(r"(?:call void @use\d+\(|ret )i(\d+) ([^\s)]+)\)?$", line):
            self.seen.append((self.here, self.operand(found.group(2), int(found.group(1)))))
        else:
            sys.exit(f"not understood: {line}")

    def computed(self, text, name=None):
        """The value of an instruction; where it is computed again, what it does not define does not count again."""
        undefined = self.is_undefined if name else (lambda condition: None)
        if found := re.match(r"call (noundef )?i(\d+) @get\d+\(\)$", text):
            bits = int(found.group(2))
            self.calls += 1
            value = self.share(f"g{self.calls}", f"(_ BitVec {bits})")
            self.seen.append((self.here, Word(1, word(0, 1), "false")))
            return Word(bits, value, "false" if found.group(1) else self.share(f"g{self.calls}p", "Bool"))
        if found := re.match(r"freeze i(\d+) (\S+)$", text):
            bits = int(found.group(1))
            value = self.operand(found.group(2), bits)
            sort, is_new = f"(_ BitVec {bits})", name.startswith("%c")
            # The input chooses what the output has there, which has new ones of its own.
            is_source = self.side == "s"
            other = self.share(f"f{len(self.frozen)}", sort) if is_source else self.fresh(sort)
            frozen = self.name_it(sort, f"(ite {value.poison} {other} {value.value})")
            if not is_new:
                self.frozen.append(frozen)
            return Word(bits, frozen, "false")
        if found := re.match(r"phi i(\d+) (.*)$", text):
            bits, value, poison = int(found.group(1)), None, None
            for part, source in re.findall(r"\[ (\S+), %([\w.]+) \]", found.group(2)):
                edge = next(edge for label, edge in self.edges[self.label] if label == source)
                now = self.operand(part, bits)
                value = now.value if value is None else f"(ite {edge} {now.value} {value})"
                poison = now.poison if poison is None else f"(ite {edge} {now.poison} {poison})"
            return Word(bits, value, poison)
        if found := re.match(r"icmp (\w+) i(\d+) (\S+), (\S+)$", text):
            a, b = (self.operand(part, int(found.group(2))) for part in found.groups()[2:])
            return Word(1, f"(ite ({PREDICATES[found.group(1)]} {a.value} {b.value}) {word(1, 1)} {word(0, 1)})", either([a.poison, b.poison]))
        if found := re.match(r"(zext|sext|trunc) i(\d+) (\S+) to i(\d+)$", text):
            a, bits = self.operand(found.group(3), int(found.group(2))), int(found.group(4))
            how = {"zext": f"zero_extend {bits - a.bits}", "sext": f"sign_extend {bits - a.bits}", "trunc": f"extract {bits - 1} 0"}
            return Word(bits, f"((_ {how[found.group(1)]}) {a.value})", a.poison)
        if found := re.match(r"select i1 (\S+), i(\d+) (\S+), i\d+ (\S+)$", text):
            c, bits = self.operand(found.group(1), 1), int(found.group(2))
            a, b = self.operand(found.group(3), bits), self.operand(found.group(4), bits)
            chosen = f"(= {c.value} {word(1, 1)})"
            poison = either([c.poison, f"(ite {chosen} {a.poison} {b.poison})"])
            return Word(bits, f"(ite {chosen} {a.value} {b.value})", poison)
        if found := re.match(r"call i(\d+) @llvm\.(\w+)\.i\d+\((.*)\)$", text):
            return self.called(found.group(2), int(found.group(1)), found.group(3))
        found = re.match(r"(\w+)((?: (?:nuw|nsw|exact))*) i(\d+) (\S+), (\S+)$", text)
        if not found or found.group(1) not in BINARY:
            sys.exit(f"not understood: {text}")
        what, flags, bits = found.group(1), found.group(2).split(), int(found.group(3))
        a, b = self.operand(found.group(4), bits), self.operand(found.group(5), bits)
        x, y = a.value, b.value
        value = self.name_it(f"(_ BitVec {bits})", f"({BINARY[what]} {x} {y})")
        zero, ones, least = word(0, bits), word(-1, bits), word(1 << (bits - 1), bits)
        poison = [a.poison, b.poison]
        negative = lambda text: f"(bvslt {text} {zero})"
        wide = lambda how, v: f"((_ {how} {bits}) {v})"
        if what in ("shl", "lshr", "ashr"):
            poison.append(f"(bvuge {y} {word(bits, bits)})")
        if what in ("udiv", "urem", "sdiv", "srem"):
            undefined(either([b.poison, f"(= {y} {zero})"]))
        if what in ("sdiv", "srem"):
            undefined(f"(and (not {a.poison}) (= {x} {least}) (= {y} {ones}))")
        for flag in flags:
            poison.append({
                ("add", "nuw"): f"(bvult {value} {x})",
                ("add", "nsw"): negative(f"(bvand (bvxor {x} {value}) (bvxor {y} {value}))"),
                ("sub", "nuw"): f"(bvult {x} {y})",
                ("sub", "nsw"): negative(f"(bvand (bvxor {x} {y}) (bvxor {x} {value}))"),
                ("mul", "nuw"): f"(distinct (bvmul {wide('zero_extend', x)} {wide('zero_extend', y)}) {wide('zero_extend', value)})",
                ("mul", "nsw"): f"(distinct (bvmul {wide('sign_extend', x)} {wide('sign_extend', y)}) {wide('sign_extend', value)})",
                ("shl", "nuw"): f"(distinct (bvlshr {value} {y}) {x})",
                ("shl", "nsw"): f"(distinct (bvashr {value} {y}) {x})",
                ("lshr", "exact"): f"(distinct (bvshl {value} {y}) {x})",
                ("ashr", "exact"): f"(distinct (bvshl {value} {y}) {x})",
                ("udiv", "exact"): f"(distinct (bvurem {x} {y}) {zero})",
                ("sdiv", "exact"): f"(distinct (bvsrem {x} {y}) {zero})",
            }[what, flag])
        return Word(bits, value, either(poison))

    def called(self, what, bits, text):
        parts = [part.split() for part in text.split(", ")]
        args = [self.operand(part[-1], int(part[0][1:])) for part in parts]
        a, poison = args[0].value, [arg.poison for arg in args]
        zero, truth = word(0, bits), (lambda text: f"(ite {text} {word(1, bits)} {word(0, bits)})")
        bit = lambda i: f"(= ((_ extract {i} {i}) {a}) {word(1, 1)})"
        if what in ("umin", "umax", "smin", "smax"):
            less = f"(bv{what[0]}lt {a} {args[1].value})"
            pair = (a, args[1].value) if what.endswith("min") else (args[1].value, a)
            return Word(bits, f"(ite {less} {pair[0]} {pair[1]})", either(poison))
        if what == "ctpop":
            return Word(bits, f"(bvadd {' '.join(truth(bit(i)) for i in range(bits))})", either(poison))
        if what in ("ctlz", "cttz"):
            value = word(bits, bits)
            for i in range(bits):
                # The last one is asked first.
                asked = i if what == "ctlz" else bits - 1 - i
                value = f"(ite {bit(asked)} {word(bits - 1 - i, bits)} {value})"
            if parts[1][-1] == "true":
                poison.append(f"(= {a} {zero})")
            return Word(bits, value, either(poison))
        if what == "abs":
            if parts[1][-1] == "true":
                poison.append(f"(= {a} {word(1 << (bits - 1), bits)})")
            return Word(bits, f"(ite (bvslt {a} {zero}) (bvneg {a}) {a})", either(poison))
        if what == "bswap":
            return Word(bits, "(concat " + " ".join(f"((_ extract {i + 7} {i}) {a})" for i in range(0, bits, 8)) + ")", either(poison))
        amount = f"(bvurem {args[2].value} {word(bits, bits)})"
        long, by = f"(concat {a} {args[1].value})", f"(concat {zero} {amount})"
        if what == "fshl":
            return Word(bits, f"((_ extract {2 * bits - 1} {bits}) (bvshl {long} {by}))", either(poison))
        return Word(bits, f"((_ extract {bits - 1} 0) (bvlshr {long} {by}))", either(poison))


def query(before, after, undef):
    """The query whether a function is no refinement of another; None if it has too many uses of what is undefined."""
    shared = {}
    source, target = Meaning("s", before, shared, undef), Meaning("t", after, shared, undef)
    if len(source.seen) != len(target.seen) or len(source.frozen) != len(target.frozen):
        return "(assert true)"
    bad = [either(target.undefined)]
    for (here, a), (there, b) in zip(source.seen, target.seen):
        bad.append(f"(distinct {here} {there})")
        bad.append(f"(and {here} (not {a.poison}) (or {b.poison} (distinct {a.value} {b.value})))")
    wrong = f"(and (not {either(source.undefined)}) {either(bad)})"
    lines = [f"(declare-const {name} {sort})" for name, sort in [*shared.items(), *target.free]]
    lines += [f"(define-fun {name} () {sort} {text})" for name, sort, text in target.definitions]
    lines += [f"(assert (= f{i} {frozen}))" for i, frozen in enumerate(target.frozen)]
    if source.free:
        if len(source.free) > 14:
            return None
        for name, _, text in reversed(source.definitions):
            wrong = f"(let (({name} {text})) {wrong})"
        wrong = f"(forall ({' '.join(f'({name} {sort})' for name, sort in source.free)}) {wrong})"
    else:
        lines += [f"(define-fun {name} () {sort} {text})" for name, sort, text in source.definitions]
    return "\n".join([*lines, f"(assert {wrong})"])
