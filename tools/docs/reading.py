"""What the pages are made of: operations.json, the comments of the public headers, examples and what they printed,
measured errors, the sentences of errors that tests hold, the table of names.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import dataclasses
import json
import re
import textwrap

# The sections, as people look for things: each is a file of examples/ops, whose functions are in it.
GROUPS = {
    "creation": "Creation and conversion",
    "arithmetic": "Arithmetic and rounding",
    "math": "Powers, logarithms, angles",
    "special": "Special functions and calculus",
    "logic": "Comparison, logic, bitwise",
    "reduction": "Reductions and statistics",
    "cumulative": "Cumulative reductions",
    "sorting": "Sorting, searching, sets",
    "indexing": "Indexing, selection, segments",
    "shape": "Shape manipulation",
    "products": "Products and contractions",
    "linalg": "Linear algebra",
    "convolutions": "Convolutions",
    "windows": "Pooling and windows",
    "fft": "Fourier transforms",
    "neural": "Neural networks",
    "images": "Images and other grids",
    "random": "Random numbers",
    "files": "Files",
    "control": "Control flow",
    "transformations": "Transformations",
    "functions": "Jitted functions",
    "other": "Printing and inspection",
}
# The namespaces of functions, by category; the others are in tenon itself.
NAMESPACES = {"random": "random::", "fft": "fft::", "linear algebra": "linalg::", "signal": "signal::"}
# Where a function has no example yet: by the category of its record.
FALLBACK = {"elementwise": "arithmetic", "comparison": "logic", "manipulation": "shape", "searching": "sorting",
            "contraction": "products", "linear algebra": "linalg", "image": "images", "control flow": "control"}
# Public headers whose functions are written by hand, and have pages.
HEADERS = ("array", "block", "checkpoint_file", "concrete", "constant", "control", "device", "dlpack", "dtypes", "eval_shape", "fold", "format",
           "forward", "generator", "host", "index", "io", "jacobian", "jit", "map", "memory", "program", "random", "rules",
           "spec", "statistics", "tape", "transform", "tree", "variable", "view")
# Types that have a page: what is public of them, from these headers.
TYPES = {"Array": "array", "Update": "index", "Key": "key", "random::Generator": "generator", "Lowered": "lowered",
         "LoadedProgram": "program", "EagerScope": "program", "ConcreteFunction": "concrete", "Checkpoint": "checkpoint_file",
         "RestoreStatus": "checkpoint_file", "BasicVariable": "variable", "GradientTape": "tape"}
# Functions of these headers without a page: they are for who writes trees and tools of their own.
INTERNAL = {"append_structure", "assign_leaves", "for_each_array", "for_each_leaf", "format_value",
            "structure_difference", "structure_text"}


@dataclasses.dataclass
class Example:
    code: str
    output: str


@dataclasses.dataclass
class Function:
    """One page: a function by its name in namespace tenon, such as random::uniform."""
    name: str
    summary: str
    description: list
    header: str
    signatures: list = dataclasses.field(default_factory=list)
    # The structs, such as ScanOptions, that its signatures name.
    structs: list = dataclasses.field(default_factory=list)
    record: dict = dataclasses.field(default_factory=dict)
    group: str = ""
    examples: list = dataclasses.field(default_factory=list)
    ulps: dict = dataclasses.field(default_factory=dict)
    errors: list = dataclasses.field(default_factory=list)
    names: list = dataclasses.field(default_factory=list)

    @property
    def page(self):
        return self.name.replace("::", ".") + ".html"


@dataclasses.dataclass
class Type:
    """A page: a class by its name in namespace tenon."""
    name: str
    words: list
    code: str
    header: str

    @property
    def page(self):
        return "type_" + self.name.replace("::", ".") + ".html"


@dataclasses.dataclass
class Lesson:
    stem: str
    title: str
    code: str
    output: str

    @property
    def page(self):
        return f"lesson_{self.stem}.html"


def name_of(record):
    """The function's name in C++: delete_, random::uniform."""
    scope = NAMESPACES.get(record["category"], "")
    return scope + re.search(r"(\w+)\(", record["signature"])[1]


def of_records(path):
    """The functions of ops.h, from operations.json."""
    for record in json.loads(path.read_text()):
        signatures = [record["signature"]]
        if "signature_by_name" in record:
            signatures.append(record["signature_by_name"])
        description = list(record["description"])
        if record.get("method"):
            description.append("Also a method of Array and Variable.")
        yield Function(name_of(record), record["summary"], description, "ops.h", signatures, record=record)


def paragraphs(comment):
    """A summary, its first sentence, and paragraphs of the rest."""
    text = " ".join(line.removeprefix("///").strip() for line in comment.strip().split("\n"))
    found = re.match(r"(.*?[.:;])(?:\s+(?=[A-Z`*])|$)(.*)", text, re.DOTALL)
    if not found:
        return text, []
    return found[1].rstrip(";:") + ("." if found[1][-1] in ";:" else ""), [found[2]] if found[2] else []


def prologue(text):
    """The words at the beginning of a header: paragraphs."""
    words = re.match(r"(?://.*\n)+", text)[0].split("\n")[4:]
    lines = [line.removeprefix("//").strip() for line in words if not line.startswith("//===")]
    return [" ".join(part.split()) for part in "\n".join(lines).split("\n\n") if part.strip()]


def struct(text, name):
    """A struct of a header as it stands there; empty if it is not there."""
    found = re.search(rf"^struct {name} \{{\n.*?^\}};", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def declarations(body):
    """The members of a class without what they do."""
    lines = [line for line in body.split("\n") if not line.startswith("#")]
    result, depth, parentheses = [], 0, 0
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        code = line.partition("//")[0]
        comment = line[len(code):]
        kept = ""
        for i, c in enumerate(code):
            if c == "{" and (depth or not parentheses and not code[:i].rstrip().endswith("=")):
                depth += 1
                kept = kept.rstrip() + ";" if depth == 1 else kept
            if not depth:
                parentheses += (c == "(") - (c == ")")
                kept += c
            if c == "}" and depth:
                depth -= 1
        kept = re.sub(r"\)( noexcept)? : .*;", r")\1;", kept.rstrip())
        if kept.strip(" ;") or comment and not depth or not line:
            result.append(kept + " " * bool(kept and comment) + comment)
    text = re.sub(r"\)\n +: [^\n]*;", ");", "\n".join(result))
    return re.sub(r"\n\n+", "\n\n", text).strip()


def public_type(name, header, text):
    """What a class says of itself, and its public part."""
    found = re.search(rf"((?:^///[^\n]*\n)*)^(class|struct) {name.split('::')[-1]}\b[^;{{]*\{{\n(.*?)^\}};",
                      text, re.MULTILINE | re.DOTALL)
    body = found[3]
    if found[2] == "class":
        body = re.split(r"^private:\n", body.partition("public:\n")[2], flags=re.MULTILINE)[0]
    words = " ".join(line.removeprefix("///").strip() for line in found[1].strip().split("\n"))
    return Type(name, [words] if words else prologue(text), declarations(body), header)


def declared_name(declaration):
    """The function's name; None of a type or what is no function."""
    if re.match(r"(template\s*<.*>\s*)?(requires.*)?(class|struct|enum|using|concept|friend|namespace)\b", declaration):
        return None
    found = re.match(r"inline constexpr detail::\w+ (\w+)$", declaration)
    if found:
        return found[1]
    plain = re.sub(r"requires\s*(\(.*?\)\s|\S+<[^>]*>\s)", "", declaration)
    found = re.search(r"(?<![\w:])([a-z]\w*)\(", plain)
    return found[1] if found and "= delete" not in declaration else None


def of_header(path):
    """The functions that stand, with a comment, in a public header."""
    text = path.read_text().replace("[[nodiscard]] ", "")
    text = re.sub(r"^namespace detail \{.*?^\} // namespace detail$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^ *requires requires\(.*?\) \{.*?\}\n", "", text, flags=re.MULTILINE)
    scope, functions = "", {}
    pieces = re.finditer(r"^namespace tenon(?P<scope>::random)? \{$"
                         r"|(?P<comment>(?:^///.*\n)*)(?P<declaration>^(?![/#}\s]|namespace)[^;{]*?(?:\{\}[^;{]*?)*)"
                         r"(?=;|\s*\{\n|\s*\{ )",
                         text, re.MULTILINE)
    for piece in pieces:
        if piece["declaration"] is None:
            scope = "random::" if piece["scope"] else ""
            continue
        declaration = re.sub(r"\s+", " ", piece["declaration"]).strip()
        name = declared_name(declaration)
        if name is None or name in INTERNAL:
            continue
        shown = re.sub(r"^(template <.*?>) (?=auto|Array|Jitted|Init|requires|inline|std)", r"\1\n", declaration) + ";"
        if piece["comment"] and scope + name not in functions:
            summary, description = paragraphs(piece["comment"])
            functions[scope + name] = Function(scope + name, summary, description, path.name, [shown])
            functions[scope + name].structs = [made for one in dict.fromkeys(re.findall(r"\b[A-Z]\w+", shown))
                                               if (made := struct(text, one))]
        elif scope + name in functions:
            functions[scope + name].signatures.append(shown)
            if piece["comment"]:
                functions[scope + name].description.append(" ".join(filter(None, (
                    paragraphs(piece["comment"])[0], *paragraphs(piece["comment"])[1]))))
    return functions.values()


def bodies(text):
    """The examples of a file: name and code, without their indentation."""
    for found in re.finditer(r'^  example\("([\w:]+)",\s+\[\] \{', text, re.MULTILINE):
        rest = text[found.end():]
        if rest.startswith("\n"):
            yield found[1], textwrap.dedent(rest[1:rest.index("\n  });\n")])
        else:
            yield found[1], rest[:rest.index(" });\n")].strip()


def outputs(text):
    """What examples printed, in their order."""
    parts = re.split(r"^== ([\w:]+)\n", text, flags=re.MULTILINE)
    return [(name, output.rstrip()) for name, output in zip(parts[1::2], parts[2::2])]


def examples(folder):
    """Of each file, its first line's words and its examples: (name, Example)."""
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text()
        words = re.match(r"//===- \S+ - (.*?) -+===//", text)[1]
        expected = path.with_suffix(".expected")
        printed = outputs(expected.read_text()) if expected.exists() else []
        codes = list(bodies(text))
        if printed and [name for name, _ in codes] != [name for name, _ in printed]:
            raise SystemExit(f"{expected}: expected what {path.name} prints: its examples are others")
        printed = printed or [(name, "") for name, _ in codes]
        yield path.stem, words, [(name, Example(code.rstrip(), output))
                                 for (name, code), (_, output) in zip(codes, printed)]


def measured(path):
    """The worst errors of ULP.md: function, dtype, ulp."""
    for line in path.read_text().split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found = re.fullmatch(r"(\w+) (f32|f64)", cells[0])
        if found and cells[-1].startswith("`"):
            yield found[1], found[2], cells[1]


def sentences(folder):
    """The first lines of errors that the tests of wrong programs hold: function, sentence."""
    for path in sorted(folder.glob("*.cpp")):
        for text in re.findall(r'R"\((.*?)\)"', path.read_text(), re.DOTALL):
            found = re.match(r"\s*([a-z][\w:]*): (.+)", text)
            if found:
                yield found[1], found[2].strip()


def lessons(folder):
    for path in sorted(folder.glob("[0-9]*.cpp")):
        banner, code = re.split(r"//===-+===//\n", path.read_text(), maxsplit=1)
        title = re.search(r"lesson \d+: (.*?) -+===//", banner)[1]
        output = path.with_suffix(".expected")
        yield Lesson(path.stem, title[0].upper() + title[1:], code.strip(),
                     output.read_text().rstrip() if output.exists() else "")


def types(include):
    for name, stem in TYPES.items():
        yield public_type(name, f"{stem}.h", (include / f"{stem}.h").read_text().replace("[[nodiscard]] ", ""))


def names(path):
    """The rows of names.csv: numpy, jax, torch, tenon, note."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def required(function):
    """The parameters that may not be left out."""
    return [one["name"] for one in function.record.get("parameters", []) if "default" not in one]


def read(root, operations):
    """All functions in the order of their groups, the groups with their words, the lessons, the table of names."""
    functions = {}
    for function in of_records(operations):
        functions[function.name] = function
    for header in HEADERS:
        for function in of_header(root / "include/tenon" / f"{header}.h"):
            there = functions.get(function.name)
            if there:
                there.signatures += function.signatures
                there.description = [*there.description, function.summary, *function.description]
            else:
                functions[function.name] = function
    groups = {}
    for stem, words, found in examples(root / "examples/ops"):
        groups[stem] = words[0].upper() + words[1:]
        for name, example in found:
            if name not in functions:
                raise SystemExit(f"examples/ops/{stem}.cpp: there is no function {name}")
            functions[name].group = functions[name].group or stem
            functions[name].examples.append(example)
    unknown = groups.keys() ^ GROUPS.keys()
    if unknown:
        raise SystemExit(f"examples/ops and GROUPS in tools/docs/reading.py: only in one of them: {', '.join(unknown)}")
    for name, dtype, ulp in measured(root / "runtime/math/ULP.md"):
        if name in functions:
            functions[name].ulps[dtype] = ulp
    for name, sentence in sentences(root / "test/must-fail"):
        if name in functions and sentence not in functions[name].errors:
            functions[name].errors.append(sentence)
    rows = names(root / "tools/docs/names.csv")
    for row in rows:
        # What was absent when the row was written may be there now, under the name that it has elsewhere.
        last = (row["numpy"] or row["jax"] or row["torch"]).split(".")[-1]
        if not row["tenon"] and last in functions:
            row.update(tenon=f"tn::{last}({', '.join(required(functions[last]))})", note="")
        alone = re.fullmatch(r"tn::([a-z]\w*(?:::\w+)?)\([^()]*\)", row["tenon"])
        if alone and alone[1] in functions:
            functions[alone[1]].names.append(row)
    for function in functions.values():
        category = function.record.get("category", "other")
        function.group = function.group or FALLBACK.get(category, category if category in GROUPS else "other")
    for function in functions.values():
        if function.record.get("returns", "").startswith("Unique"):
            results = (root / "include/tenon/results.h").read_text()
            function.structs.append(struct(results, function.record["returns"]))
    order = list(GROUPS)
    return (sorted(functions.values(), key=lambda function: order.index(function.group)), groups,
            list(lessons(root / "examples")), rows)
