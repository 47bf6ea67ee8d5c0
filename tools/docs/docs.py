#!/usr/bin/env python3
"""Writes the documentation that people read: a folder of HTML, without a server, index.html first.

    docs.py OPERATIONS.JSON FOLDER

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import re
import shutil
import sys

import learning
import reading
import text

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header>
<a class="home" href="index.html">Tenon</a>
<form role="search"><input id="search" type="search" placeholder="Search: sum, np.amax, torch.cat" aria-label="Search"
 autocomplete="off" spellcheck="false"><ol id="found" hidden></ol></form>
<nav><a href="index.html#lessons">Lessons</a> <a href="index.html#learning">Learning</a> <a href="names.html">Names</a></nav>
</header>
<main{kind}>
{body}
</main>
<script src="found.js"></script>
<script src="search.js"></script>
</body>
</html>
"""

TYPES = {
    "operand": "array, number or nested list", "arrays": "list of arrays", "axes": "axes", "axis": "axis",
    "ints": "integers", "shape": "sizes", "size": "size", "int": "integer", "float": "number", "bool": "bool",
    "number": "number", "text": "text", "dtype": "dtype", "device": "device"
}
PROMOTION = {
    "common": "Operands are promoted to one dtype and broadcast to one shape.",
    "floating": "Operands are promoted to one dtype and broadcast to one shape; integers and bools become f32.",
    "boolean": "Operands that are not bool count as x != 0; all are broadcast to one shape.",
}
# Of one operand.
ALONE = {"floating": "Integers and bools become f32.", "boolean": "An operand that is not bool counts as x != 0."}


class Site:
    """The pages, and where they link to."""

    def __init__(self, root, operations, folder):
        self.functions, self.groups, self.lessons, self.rows = reading.read(root, operations)
        self.links = {function.name: function.page for function in self.functions}
        self.types = list(reading.types(root / "include/tenon"))
        self.prologues = {f"{stem}.h": reading.prologue((root / f"include/tenon/{stem}.h").read_text())
                          for stem in reading.HEADERS}
        self.families = list(learning.families(root / "include/tenon"))
        self.learning_names = learning.names(root / "tools/docs/learning.csv")
        self.folder = folder

    def write(self, name, title, body, kind=""):
        page = TEMPLATE.format(title=text.escape(title), body=body, kind=f' class="{kind}"' if kind else "")
        (self.folder / name).write_text(page)

    def link(self, function):
        return f'<a href="{function.page}"><code>{text.escape(function.name)}</code></a>'

    def prose(self, words, function=None):
        return text.prose(words, self.links, function and function.name)

    def code(self, source, here=None):
        return f'<pre class="code"><code>{text.code(source, self.links, here)}</code></pre>'

    # A page for each function.

    def parameters(self, function):
        parameters = function.record.get("parameters", []) + function.record.get("named_parameters", [])
        if all(one["type"] == "operand" and "default" not in one and not one["doc"] for one in parameters):
            return ""
        rows = []
        for one in parameters:
            default = ""
            if "default" in one:
                value = one["default"]
                literal = text.escape(json.dumps(value).strip('"'))
                default = "optional" if value is None else f"<code>{literal}</code>"
            rows.append(f'<tr><td><code>{one["name"]}</code></td><td>{TYPES.get(one["type"]) or "<code>" + one["type"] + "</code>"}</td><td>{default}</td>'
                        f'<td>{self.prose(one["doc"], function)}</td></tr>')
        return ('<h2>Parameters</h2><div class="scroll"><table><thead><tr><th>Name</th><th>Type</th><th>Default</th>'
                f'<th></th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>')

    def shapes(self, record):
        """What is known of the result's shape and dtype from the record alone."""
        one = len([p for p in record["parameters"] if p["type"] == "operand" and "default" not in p]) == 1
        if record["door"] == "elementwise":
            dtype = {"bool": "bool", "attribute": "the requested dtype"}.get(
                record.get("result_dtype"), "its dtype" if one else "the promoted dtype of the operands")
            return ("The shape of x" if one else "The broadcast shape of the operands") + f"; {dtype}."
        if record["door"] in ("reduction", "truths"):
            return "The shape of x without the reduced axes; with `keepdims` they are kept with size 1."
        if record["category"] == "cumulative":
            return "The shape of x; with `include_initial` the axis is longer by one."
        return {"arrays": "Several arrays.", "nothing": "Nothing.", "array": ""}.get(
            record["returns"], f"A struct `{record['returns']}` of arrays.")

    def facts(self, function):
        """Names and sentences, for a list."""
        record = function.record
        if function.ulps:
            worst = ", ".join(f"{ulp} ulp in {dtype}" for dtype, ulp in function.ulps.items())
            yield "Worst error", f"Measured: {worst}."
        elif record.get("reference_ulp"):
            yield "Error", f"At most {record['reference_ulp']} ulp of f32 from the reference, in tests."
        if not record:
            yield "Header", f"`tenon/{function.header}`"
            return
        yield "Accepts", text.dtypes(record["dtypes"]) + ". " + (
            ALONE if len(record["parameters"]) == 1 else PROMOTION).get(record["promotion"], "")
        if shapes := self.shapes(record):
            yield "Result", shapes
        yield "Derivative", has_derivative(record["derivative"])
        yield "Under vmap", has_batching(record["batching"])
        if record.get("view"):
            kind = (f"A primitive op of code {record['code']}; the result is a view: elements are copied only "
                    "where strides cannot express it.")
        elif "code" in record:
            kind = f"A primitive op, of code {record['code']}."
        else:
            kind = "A composite: computed by other ops."
        yield "Kind", kind
        tolerance = record["tolerance_ulp"]
        yield "Eager and compiled", (f"Within {tolerance} ulp: {record['tolerance_reason']}" if tolerance
                                     else "Bitwise equal.")

    def related(self, function):
        """Those that its words name and that name it, then its neighbours in the group."""

        def named(one):
            return set(re.findall(r"`(?:tn::)?([\w:]+)[^`]*`", " ".join([one.summary, *one.description])))

        others = [one for one in self.functions if one is not function]
        first = [one for one in others if one.name in named(function) or function.name in named(one)]
        group = [one for one in self.functions if one.group == function.group]
        place = group.index(function)
        near = sorted((one for one in group if one is not function), key=lambda one: abs(group.index(one) - place))
        return [*first[:8], *[one for one in near if one not in first][:8]]

    def function_page(self, function):
        parts = [f'<p class="crumb"><a href="index.html#{function.group}">{reading.GROUPS[function.group]}</a></p>',
                 f"<h1>tn::{text.escape(function.name)}</h1>",
                 f'<p class="lead">{self.prose(function.summary, function)}</p>']
        parts += [f"<p>{self.prose(words, function)}</p>" for words in function.description]
        parts.append(self.code("\n\n".join(wrapped(signature) for signature in function.signatures)))
        parts += [self.code(struct) for struct in function.structs]
        for example in function.examples:
            parts.append("<h2>Example</h2>" if example is function.examples[0] else "")
            parts.append(self.code(example.code, function.name))
            parts.append(f'<pre class="output"><samp>{text.escape(example.output)}</samp></pre>')
        parts.append(self.parameters(function))
        facts = "".join(f"<dt>{name}</dt><dd>{self.prose(words, function)}</dd>"
                        for name, words in self.facts(function))
        parts.append(f"<h2>Facts</h2><dl>{facts}</dl>")
        if function.errors:
            items = "".join(f"<li><code>{text.escape(words)}</code></li>" for words in function.errors[:6])
            parts.append("<h2>Errors</h2><p>Messages for invalid calls; each is followed by the operands and the line of the "
                         f'call:</p><ul class="errors">{items}</ul>')
        if function.names:
            elsewhere = dict.fromkeys(row[column] for row in function.names for column in ("numpy", "jax", "torch"))
            items = " ".join(f"<code>{text.escape(name)}</code>" for name in elsewhere if name)
            parts.append(f'<h2>Elsewhere</h2><p class="links">{items}</p>')
        if not function.record and self.prologues[function.header]:
            words = "".join(f"<p>{self.prose(part, function)}</p>" for part in self.prologues[function.header])
            parts.append(f"<h2>About {function.header}</h2>{words}")
        links = " ".join(self.link(one) for one in self.related(function))
        parts.append(f'<h2>See also</h2><p class="links">{links}</p>')
        self.write(function.page, f"tn::{function.name} - Tenon", "\n".join(filter(None, parts)))

    # The other pages.

    def names_page(self):
        rows = []
        for row in self.rows:
            cells = "".join(f"<td><code>{text.escape(row[column]).replace('.', '.<wbr>')}</code></td>"
                            for column in ("numpy", "jax", "torch"))
            tenon = f"<code>{text.code(row['tenon'], self.links)}</code>" if row["tenon"] else ""
            note = self.prose(row["note"])
            rows.append(f'<tr>{cells}<td>{tenon}{"<br>" if tenon and note else ""}'
                        f'<span class="note">{note}</span></td></tr>')
        self.write("names.html", "Names - Tenon", f"""<h1>Names of NumPy, JAX and PyTorch</h1>
<p class="lead">What is called so there, and how it is written here.</p>
<p><input id="filter" type="search" placeholder="Only rows with ..." aria-label="Only rows with" autocomplete="off"></p>
<div class="scroll"><table class="names">
<thead><tr><th>NumPy</th><th>JAX</th><th>PyTorch</th><th>Tenon</th></tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>""", "wide")

    def lesson_page(self, lesson):
        self.write(lesson.page, f"{lesson.title} - Tenon", f"""
<p class="crumb"><a href="index.html#lessons">Lessons</a></p>
<h1>{text.escape(lesson.title)}</h1>
<div class="pair"><section><h2>Program</h2>{self.code(lesson.code)}</section>
<section><h2>Output</h2>
<pre class="output"><samp>{text.escape(lesson.output)}</samp></pre></section></div>""", "lesson")

    def type_page(self, one):
        words = "".join(f"<p>{self.prose(part)}</p>" for part in one.words)
        self.write(one.page, f"tn::{one.name} - Tenon", f"""<p class="crumb"><a href="index.html#types">Types</a></p>
<h1>tn::{text.escape(one.name)}</h1>{words}
<p>Header: <code>tenon/{one.header}</code>. Public interface:</p>{self.code(one.code)}""", "lesson")

    def family_page(self, family):
        """A page of the section Learning: what its headers say and declare."""
        parts = ['<p class="crumb"><a href="index.html#learning">Learning</a></p>', f"<h1>{family.title}</h1>"]
        parts += [self.code(words) if is_code else f"<p>{self.prose(words)}</p>" for is_code, words in family.words]
        lesson = next((one for one in self.lessons if one.stem == family.lesson), None)
        if lesson:
            parts.append(f'<p>A program that shows it: <a href="{lesson.page}">{text.escape(lesson.title)}</a>.</p>')
        parts.append('<p class="chips">' + " ".join(f'<a href="#{one.name}">{one.name}</a>' for one in family.parts) + "</p>")
        for one in family.parts:
            words = "".join(self.code(part) if is_code else f"<p>{self.prose(part)}</p>" for is_code, part in one.words)
            parts.append(f'<h2 id="{one.name}">{one.name}</h2>{words}{self.code(one.code)}')
        headers = ", ".join(f"<code>tenon/{header}</code>" for header in family.headers)
        parts.append(f"<h2>Headers</h2><p>{headers}; <code>tenon/learning.h</code> includes all.</p>")
        self.write(f"{family.page}.html", f"{family.title} - Tenon", "\n".join(parts), "lesson")

    def peer_page(self, column, page, title, habits):
        """What a user of another library looks for, and how it is written here."""
        rows = "".join(f"<tr><td><code>{text.escape(row[column])}</code></td><td>"
                       f'{"<code>" + self.learning_link(row["tenon"]) + "</code>" if row["tenon"] else ""}'
                       f'{"<br>" if row["tenon"] and row["note"] else ""}<span class="note">{self.prose(row["note"])}</span></td></tr>'
                       for row in self.learning_names if row[column])
        items = "".join(f"<li>{self.prose(habit)}</li>" for habit in habits)
        self.write(f"{page}.html", f"{title} - Tenon", f"""<p class="crumb"><a href="index.html#learning">Learning</a></p>
<h1>{title}</h1><h2>What is different</h2><ul>{items}</ul><h2>Names</h2>
<div class="scroll"><table class="names"><thead><tr><th>{title.removeprefix("From ")}</th><th>Tenon</th></tr></thead>
<tbody>{rows}</tbody></table></div>""", "wide")

    def learning_link(self, words):
        """Code whose names of classes and functions are links to their pages."""
        places = {one.name: f"{family.page}.html#{one.name}" for family in reversed(self.families) for one in family.parts}
        places |= {f"{namespace}::{one.name}": f"{family.page}.html#{one.name}" for family in self.families
                   for one in family.parts for namespace in learning.NAMESPACES[family.page]}
        return re.sub(r"\b(?:(\w+)::)(\w+)", lambda found: f'<a href="{places[found[0]]}">{found[0]}</a>'
                      if found[0] in places else found[0], text.escape(words))

    def index_page(self):
        sections = []
        for group, title in reading.GROUPS.items():
            here = sorted((one for one in self.functions if one.group == group), key=lambda one: one.name.lower())
            items = "".join(f'<li>{self.link(one)} <span>{self.prose(one.summary)}</span></li>' for one in here)
            words = self.prose(self.groups[group])
            sections.append(f'<section id="{group}"><h2>{title}</h2><p class="words">{words}.</p>'
                            f'<ul class="functions">{items}</ul></section>')
        lessons = "".join(f'<li><a href="{lesson.page}">{text.escape(lesson.title)}</a></li>'
                          for lesson in self.lessons)
        families = " ".join(f'<a href="{page}.html">{title}</a>' for page, title in
                            [(one.page, one.title) for one in self.families] + [peer[1:3] for peer in learning.PEERS])
        first = next(one for one in self.functions if one.name == "value_and_grad").examples[0]
        types = " ".join(f'<a href="{one.page}"><code>{text.escape(one.name)}</code></a>' for one in self.types)
        chips = " ".join(f'<a href="#{group}">{title}</a>' for group, title in reading.GROUPS.items())
        self.write("index.html", "Tenon", f"""<h1>Tenon</h1>
<p class="lead">Arrays for C++20, and a compiler for programs over them.</p>
<p>Each function has a page with its parameters, its result and an example with its output. The search box also finds the names
of NumPy, JAX and PyTorch; <a href="names.html">this table</a> lists all of them.</p>
{self.code(first.code)}
<pre class="output"><samp>{text.escape(first.output)}</samp></pre>
<h2 id="lessons">Lessons</h2><ol class="lessons">{lessons}</ol>
<h2 id="learning">Learning</h2><p class="links">{families}</p>
<h2 id="types">Types</h2><p class="links">{types}</p>
<h2>Functions</h2><p class="chips">{chips}</p>
{"".join(sections)}""")

    def search_index(self):
        """[title, page, words, other names] of each page, for the search box."""
        entries = [[f"tn::{one.name}", one.page, one.summary,
                    " ".join(row[column] for row in one.names for column in ("numpy", "jax", "torch") if row[column])]
                   for one in self.functions]
        entries += [[f"tn::{one.name}", one.page, "Type", ""] for one in self.types]
        entries += [[lesson.title, lesson.page, "Lesson", ""] for lesson in self.lessons]
        entries += [[f"{learning.NAMESPACES[family.page][0]}::{one.name}", f"{family.page}.html#{one.name}",
                     one.words[0][1] if one.words else "", ""] for family in self.families for one in family.parts]
        entries += [[title, f"{page}.html", "Learning", ""] for _, page, title, _ in learning.PEERS]
        pages = {row["numpy"] or row["jax"] or row["torch"] for one in self.functions for row in one.names}
        for row in self.rows:
            title = row["numpy"] or row["jax"] or row["torch"]
            if title not in pages:
                entries.append([title, "names.html?" + title, row["tenon"] or row["note"],
                                " ".join(filter(None, (row["jax"], row["torch"])))])
        return "const entries = " + json.dumps(entries, separators=(",", ":"), ensure_ascii=False) + ";\n"

    def write_all(self):
        for function in self.functions:
            self.function_page(function)
        for lesson in self.lessons:
            self.lesson_page(lesson)
        for one in self.types:
            self.type_page(one)
        for family in self.families:
            self.family_page(family)
        for peer in learning.PEERS:
            self.peer_page(*peer)
        self.names_page()
        self.index_page()
        (self.folder / "found.js").write_text(self.search_index())
        for name in ("style.css", "search.js"):
            shutil.copyfile(pathlib.Path(__file__).with_name(name), self.folder / name)


def has_derivative(words):
    """The record's words for who asks whether there is one."""
    if words.startswith("a rule that keeps"):
        return "Yes; it " + words.removeprefix("a rule that ")
    return {"zero.": "Zero: the result is piecewise constant, or an integer or bool.", "a rule.": "Yes.",
            "that of its decomposition.": "Yes: that of the ops that it consists of."}.get(words, capitalized(words))


def has_batching(words):
    return capitalized(words) if words.startswith("none") else "Supported."


def capitalized(words):
    return words[0].upper() + words[1:]


def wrapped(signature, width=88):
    """A declaration in lines of at most so many columns, parameters below the first one."""
    result = []
    for line in signature.split("\n"):
        start = line.find("(") + 1
        while len(line) > width and ", " in line[start:width]:
            cut = line.rindex(", ", start, width) + 1
            result.append(line[:cut])
            line = " " * min(start, 24) + line[cut:].lstrip()
            start = min(start, 24)
        result.append(line)
    return "\n".join(result)


def build(root, operations, folder):
    """Writes all pages anew; gives the site."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    site = Site(root, operations, folder)
    site.write_all()
    return site


def main():
    if len(sys.argv) != 3:
        raise SystemExit("docs.py: expected OPERATIONS.JSON and FOLDER")
    folder = pathlib.Path(sys.argv[2])
    build(pathlib.Path(__file__).resolve().parents[2], pathlib.Path(sys.argv[1]), folder)
    print(folder / "index.html")


if __name__ == "__main__":
    main()
