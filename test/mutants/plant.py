"""The list of mutations (*.mut beside this file) and a copy of the tree that holds them all."""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "dialect", "lib", "runtime", "tools", "test"]  # what the copy holds
FIELDS = ["name", "file", "after", "old", "new", "tests", "equal", "open"]

HOOK = """#pragma once
#include <cstdlib>
// The number of the mutation that holds in this process, 0 for none.
[[maybe_unused]] static const int tenonPlanted = [] {
  const char *number = std::getenv("TENON_MUTANT");
  return number ? std::atoi(number) : 0;
}();
[[maybe_unused]] static inline bool tenonMutant(int number) { return number == tenonPlanted; }
"""


class Failure(Exception):
    pass


class Mutation:
    def __init__(self, room, fields, default_tests):
        self.room = room
        self.name, self.file = fields["name"], fields["file"]
        self.old, self.new, self.after = fields["old"], fields["new"], fields.get("after", "")
        self.tests = list(dict.fromkeys(fields.get("tests", "").split() + default_tests))
        self.named = fields.get("tests", "").split() or default_tests
        self.equal = fields.get("equal", "")
        self.open = fields.get("open", "")  # what no test sees yet: not drawn
        self.number = 0
        self.span = (0, 0)


def read_list(folder):
    """All mutations, in the order of their files and lines; numbered from 1."""
    mutations, names = [], set()
    for path in sorted(folder.glob("*.mut")):
        default_tests, fields = [], {}

        def close():
            if not fields:
                return
            missing = [field for field in ("name", "file", "old", "new") if field not in fields]
            if missing:
                raise Failure(f"{path.name}: '{fields.get('name', '?')}': expected {', '.join(missing)}")
            if fields["name"] in names:
                raise Failure(f"{path.name}: '{fields['name']}' is the name of two mutations")
            names.add(fields["name"])
            mutations.append(Mutation(path.stem, dict(fields), default_tests))
            fields.clear()

        for number, line in enumerate(path.read_text().splitlines() + [""], 1):
            if line.startswith("#"):
                continue
            if not line.strip():
                close()
                continue
            field, colon, text = line.partition(":")
            if not colon or field not in FIELDS or field in fields:
                raise Failure(f"{path.name}:{number}: expected one of {', '.join(FIELDS)}, once, got '{line}'")
            if field == "tests" and not fields:
                default_tests = text.split()
            else:
                fields[field] = text.strip()
    for number, mutation in enumerate(mutations, 1):
        mutation.number = number
    return mutations


def spaced(text):
    """The text as a pattern to which any white space between its words is equal."""
    return r"\s+".join(re.escape(word) for word in text.split())


def locate(mutation, text):
    """Where the old text stands: once in the file, or first after a text that does."""
    start = 0
    if mutation.after:
        found = [match.end() for match in re.finditer(spaced(mutation.after), text)]
        if len(found) != 1:
            raise Failure(f"{mutation.room}.mut: '{mutation.name}': expected '{mutation.after}' once in "
                          f"{mutation.file}, got {len(found)} times")
        start = found[0]
    found = [match.span() for match in re.finditer(spaced(mutation.old), text[start:])]
    if len(found) != 1 and not (mutation.after and found):
        raise Failure(f"{mutation.room}.mut: '{mutation.name}': expected '{mutation.old}' once in {mutation.file}, "
                      f"got {len(found)} times")
    mutation.span = (found[0][0] + start, found[0][1] + start)


def render(text, begin, end, mutations):
    """text[begin:end] with a choice for each mutation in it, those inside others included."""
    out, at = [], begin
    mutations = sorted(mutations, key=lambda m: (m.span[0], -m.span[1], m.number))
    while mutations:
        outer, mutations = mutations[0], mutations[1:]
        inner = [m for m in mutations if m.span[0] < outer.span[1]]
        for m in inner:
            if m.span[1] > outer.span[1]:
                raise Failure(f"'{outer.name}' and '{m.name}' overlap in {outer.file}")
        mutations = [m for m in mutations if m not in inner]
        out.append(text[at:outer.span[0]])
        old = render(text, *outer.span, inner)
        if outer.old[-1] in ";}":
            out.append(f"if (tenonMutant({outer.number})) {{ {outer.new} }} else {{ {old} }}")
        else:
            out.append(f"(tenonMutant({outer.number}) ? ({outer.new}) : ({old}))")
        at = outer.span[1]
    return "".join(out) + text[at:end]


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# A string or character.
QUOTED = r"""["](?:\\.|[^"\\])*["]|'(?:\\.|[^'\\])*'"""


def balanced(text):
    """Whether all quotes are closed, and all brackets outside of them."""
    code = re.sub(QUOTED, "", text)
    return '"' not in code and all(code.count(left) == code.count(right) for left, right in ("()", "[]", "{}"))


def is_list(text):
    """Whether it is more than an expression, or a part of one, outside of brackets."""
    code, inside = re.sub(QUOTED, "0", text), None
    while code != inside:
        code, inside = re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "0", code), code
    code = re.sub(r"<[^<>]*>|::", "", code)
    return "," in code or ";" in code or (":" in code and "?" not in code) or code.rstrip()[-1] in "&|+-*/=?:"


def check(mutations, root=ROOT):
    """Every mutation has its place in the tree."""
    wrong = []
    for mutation in mutations:
        try:
            path = root / mutation.file
            if not path.is_file():
                raise Failure(f"{mutation.room}.mut: '{mutation.name}': no file {mutation.file}")
            is_head = mutation.old.startswith("if (") and mutation.old[-1] not in ";}"
            is_declaration = re.match(r"const |(?!return |throw )[\w:<>]+ [*&]?\w+( =|;|\{|\()", mutation.old)
            is_part = mutation.old[-1] not in ";}" and is_list(mutation.old)
            if is_head or is_declaration or is_part or not balanced(mutation.old) or not balanced(mutation.new):
                raise Failure(f"{mutation.room}.mut: '{mutation.name}': expected an expression or whole statements, "
                              f"got '{mutation.old}'")
            if mutation.old == mutation.new:
                raise Failure(f"{mutation.room}.mut: '{mutation.name}': the new text is the old")
            locate(mutation, path.read_text())
        except Failure as failure:
            wrong.append(str(failure))
    if wrong:
        raise Failure("\n".join(wrong))


def plant(mutations, copy, root=ROOT):
    """Brings `copy` to what the tree holds now, with these mutations. Files that stay equal are not touched."""
    check(mutations, root)
    by_file = collections.defaultdict(list)
    for mutation in mutations:
        by_file[mutation.file].append(mutation)
    wanted = {copy / "tenon_mutant.h"}
    write_if_changed(copy / "tenon_mutant.h", HOOK)
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if not path.is_file() or path.is_symlink() or "__pycache__" in path.parts:
                continue
            name = str(path.relative_to(root))
            wanted.add(copy / name)
            if name in by_file:
                text = path.read_text()
                planted = render(text, 0, len(text), by_file[name])
                write_if_changed(copy / name, f'#include "{copy}/tenon_mutant.h"\n#line 1 "{path}"\n{planted}')
            elif not (copy / name).exists() or (copy / name).read_bytes() != path.read_bytes():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy / name)
    for path in copy.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()
