"""Functions of MLIR in the generic form, as Cairn prints it, written as functions of LLVM IR: what these mean is known. Operations of `arith` and
`math` are instructions, `index` has 64 bits, constants stand where they are used, `scf.if` is a branch, arguments of blocks are phis."""
import re
import sys

BINARY = {"addi": "add", "subi": "sub", "muli": "mul", "divui": "udiv", "divsi": "sdiv", "remui": "urem", "remsi": "srem", "andi": "and",
          "ori": "or", "xori": "xor", "shli": "shl", "shrui": "lshr", "shrsi": "ashr"}
CALLED = {"minui": "umin", "maxui": "umax", "minsi": "smin", "maxsi": "smax", "ctpop": "ctpop", "ctlz": "ctlz", "cttz": "cttz", "absi": "abs"}
CONVERSIONS = {"extui": "zext", "extsi": "sext", "trunci": "trunc"}
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
OPERATION = re.compile(r'(?:(%\S+) = )?"([\w.]+)"\(([^)]*)\)(?:\[([^\]]*)\])?(?: <\{(.*?)\}>)?(?: (\(\{)| : \(([^)]*)\) -> (.*))$')


def bits_of(of_type):
    return 64 if of_type == "index" else int(of_type[1:])


class Function:
    """One function, whose lines are read one after the other."""

    def __init__(self, head, lines):
        self.lines, self.out, self.taken, self.labels, self.label = lines, [], 0, 0, "entry"
        self.name = re.search(r'sym_name = "(\w+)"', head).group(1)
        self.returns = bits_of(re.search(r"function_type = \(.*?\) -> (\w+)", head).group(1))
        self.attributes = re.search(r"arg_attrs = \[(.*?)\]", head)
        self.edges = {}

    def text(self):
        found = self.block_of(next(self.lines))
        attributes = self.attributes.group(1).split(",") if self.attributes else [""] * len(found)
        head = [f"i{bits_of(of_type)}{' noundef' if 'noundef' in attribute else ''} %p{i}"
                for i, ((_, of_type), attribute) in enumerate(zip(found, attributes))]
        scope = {name: f"%p{i}" for i, (name, _) in enumerate(found)}
        self.region(scope)
        body = "".join(f"{line}\n" for line in self.out)
        return f"define i{self.returns} @{self.name}({', '.join(head)}) {{\nentry:\n{body}}}\n"

    def block_of(self, line):
        self.at = re.match(r"\^(\w+)", line).group(1)
        return re.findall(r"(%[^\s:,]+): (\w+)", line)

    def define(self, text):
        self.taken += 1
        self.out.append(f"  %n{self.taken} = {text}")
        return f"%n{self.taken}"

    def start(self, label):
        self.label = label
        self.out += ["", f"{label}:"]

    def region(self, scope):
        """Reads up to the end of a region; what is yielded."""
        yielded = []
        for line in self.lines:
            if line.startswith("}"):
                self.end = line
                return yielded
            if line.startswith("^"):
                arguments = self.block_of(line)
                self.start(f"b{self.at}")
                for i, (name, of_type) in enumerate(arguments):
                    parts = ", ".join(f"[ {values[i]}, %{label} ]" for label, values in self.edges[self.at])
                    scope[name] = self.define(f"phi i{bits_of(of_type)} {parts}")
                continue
            found = OPERATION.match(line) or sys.exit(f"not understood: {line}")
            result, name, operands, successors, properties, region, types, results = found.groups()
            operands = [scope[operand] for operand in operands.split(", ") if operand]
            if name == "scf.if":
                self.choice(result, operands[0], scope)
            elif name == "scf.yield":
                yielded = operands
            elif name in ("cf.br", "cf.cond_br"):
                self.branch(operands, successors.replace("^", "").split(", "), properties or "")
            elif name == "func.return":
                self.out.append(f"  ret i{self.returns} {operands[0]}")
            else:
                types = [bits_of(of_type) for of_type in types.split(", ") if of_type]
                value = self.computed(name, operands, types, properties or "", results)
                if result:
                    scope[result] = value
        sys.exit("a region has no end")

    def choice(self, result, condition, scope):
        self.labels += 1
        number, ends = self.labels, []
        self.out.append(f"  br i1 {condition}, label %t{number}, label %e{number}")
        for side in "te":
            self.start(f"{side}{number}")
            yielded = self.region(dict(scope))
            ends += [(value, self.label) for value in yielded]
            self.out.append(f"  br label %j{number}")
        self.start(f"j{number}")
        if result:
            of_type = self.end.rsplit(" ", 1)[1]
            scope[result] = self.define(f"phi i{bits_of(of_type)} " + ", ".join(f"[ {value}, %{label} ]" for value, label in ends))

    def branch(self, operands, targets, properties):
        counts = [0, len(operands)] if len(targets) == 1 else [int(n) for n in re.search(r"array<i32: ([\d, ]+)>", properties).group(1).split(", ")]
        at = counts[0]
        for target, count in zip(targets, counts[1:]):
            self.edges.setdefault(target, []).append((self.label, operands[at : at + count]))
            at += count
        if len(targets) == 1:
            self.out.append(f"  br label %b{targets[0]}")
        else:
            self.out.append(f"  br i1 {operands[0]}, label %b{targets[0]}, label %b{targets[1]}")

    def computed(self, name, operands, types, properties, results):
        if name == "arith.constant":
            value = re.search(r"value = (true|false|-?\d+)", properties).group(1)
            return value if results != "i1" or value in ("true", "false") else ("true" if int(value) & 1 else "false")
        if name == "func.call":
            callee = re.search(r"callee = @(\w+?)(\d+|index)\b", properties)
            bits = 64 if callee.group(2) == "index" else int(callee.group(2))
            if callee.group(1) == "use":
                self.out.append(f"  call void @use{bits}(i{bits} {operands[0]})")
                return None
            return self.define(f"call i{bits} @get{bits}()")
        bits, what = types[-1], name.split(".")[1]
        if what in ("index_cast", "index_castui"):
            to = bits_of(results)
            if to == bits:
                return operands[0]
            what = "trunci" if to < bits else "extsi" if what == "index_cast" else "extui"
        if what in CONVERSIONS:
            return self.define(f"{CONVERSIONS[what]} i{bits} {operands[0]} to i{bits_of(results)}")
        if what == "cmpi":
            predicate = PREDICATES[int(re.search(r"predicate = (\d+) : i64", properties).group(1))]
            return self.define(f"icmp {predicate} i{bits} {operands[0]}, {operands[1]}")
        if what == "select":
            return self.define(f"select i1 {operands[0]}, i{bits} {operands[1]}, i{bits} {operands[2]}")
        if what in CALLED:
            args = [f"i{bits} {operand}" for operand in operands] + ["i1 false"] * (what in ("ctlz", "cttz", "absi"))
            return self.define(f"call i{bits} @llvm.{CALLED[what]}.i{bits}({', '.join(args)})")
        if what not in BINARY:
            sys.exit(f"not understood: {name}")
        flags = [flag for flag in ("nuw", "nsw") if re.search(rf"overflow<[^>]*\b{flag}\b", properties)]
        flags += ["exact"] * ("isExact" in properties)
        return self.define(" ".join([BINARY[what], *flags, f"i{bits} {operands[0]}, {operands[1]}"]))


def functions(text):
    """By name: the functions of a module that have a body, as LLVM IR."""
    lines = (line.split(" //")[0].strip() for line in text.split("\n"))
    found = {}
    for line in lines:
        # A declaration has a region without blocks.
        if line.startswith('"func.func"()') and "sym_visibility" not in line:
            function = Function(line, lines)
            found[function.name] = function.text()
    return found
