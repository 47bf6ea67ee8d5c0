#!/usr/bin/env python3
"""The pages of HTML: each function has one and an example that printed something, no link leads nowhere, and the table
of names speaks of what there is.

    docs_test.py ROOT OPERATIONS.JSON FOLDER

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import html.parser
import json
import pathlib
import re
import sys

import numpy

# The last NumPy whose names were looked through; a later one may have others.
NUMPY = (2, 4)


class Page(html.parser.HTMLParser):
    """Where a page links to, which places it has, whether its elements are closed."""
    VOID = {"meta", "link", "input", "br", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.open, self.errors = [], set(), [], []
        self.feed(text)
        self.errors += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if "id" in attributes:
            self.places.add(attributes["id"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> closes another element")


def wrong_pages(folder):
    pages = {path.name: Page(path.read_text()) for path in sorted(folder.glob("*.html"))}
    for name, page in pages.items():
        for error in page.errors:
            yield f"{name}: {error}"
        for link in page.links:
            file, _, place = link.partition("#")
            target = file or name
            if re.match(r"\w+:", link) or not (folder / target).is_file():
                yield f"{name}: a link to {link}, which is not there"
            elif place and place not in pages[target].places:
                yield f"{name}: a link to {link}: no such place"


def wrong_functions(site, names):
    """Every function of the data has a page, an example, a line in the index."""
    pages = {function.name: function for function in site.functions}
    index = Page((site.folder / "index.html").read_text()).links
    for name in names:
        if name not in pages:
            yield f"{name}: no page"
    for function in site.functions:
        if not (site.folder / function.page).is_file():
            yield f"{function.name}: no page"
        if function.page not in index:
            yield f"{function.name}: not in the index"
        if not function.examples:
            yield f"{function.name}: no example; write one into a file of examples/ops"
        for example in function.examples:
            if not example.output:
                yield f"{function.name}: an example that prints nothing"
    for lesson in site.lessons:
        if not lesson.output:
            yield f"lesson {lesson.stem}: nothing was printed"


def wrong_names(rows, root):
    """What the table calls Tenon's is in the public headers, and it has all of NumPy's functions."""
    words = set()
    for path in (root / "include/tenon").rglob("*.[hd]*"):
        words |= set(re.findall(r"\w+", re.sub(r"//.*", "", path.read_text())))
    for row in rows:
        what = row["numpy"] or row["jax"] or row["torch"]
        if not what or not (row["tenon"] or row["note"]):
            yield f"names.csv: expected a name and what it is here, or why it is not: {row}"
        for name in re.findall(r"tn::([\w:]+)", row["tenon"] + " " + row["note"]):
            if not set(name.split("::")) <= words:
                yield f"names.csv: {what}: there is no tn::{name}"
        for part in (row["tenon"], row["note"]):
            if any(part.count(a) != part.count(b) for a, b in ("()", "[]", "{}")):
                yield f"names.csv: {what}: brackets that do not match: {part}"
    names = [row["numpy"] for row in rows if row["numpy"]]
    for name in sorted(set(names)):
        if names.count(name) > 1:
            yield f"names.csv: {name} stands there twice"
    if tuple(map(int, numpy.__version__.split(".")[:2])) <= NUMPY:
        for name in dir(numpy):
            function = getattr(numpy, name)
            if callable(function) and not isinstance(function, type) and not name.startswith("_"):
                if f"np.{name}" not in names:
                    yield f"names.csv: nothing of np.{name}"


def wrong_learning(site, learning):
    """Each class and function of the learning headers says what it is, and the tables of other libraries name these."""
    parts = {f"{namespace}::{one.name}" for family in site.families for one in family.parts
             for namespace in learning.NAMESPACES[family.page]}
    for page in learning.NAMESPACES:
        if not any(family.page == page and family.parts for family in site.families):
            yield f"learning.py: nothing on the page {page}"
    for row in site.learning_names:
        what = row["keras"] or row["torch"]
        if not what or not (row["tenon"] or row["note"]):
            yield f"learning.csv: expected a name and what it is here: {row}"
        for name in re.findall(r"\b(?:nn|losses|metrics|optim|data|datasets|train|summary|plot)::\w+", row["tenon"]):
            if name not in parts and not name.startswith("losses::Reduction"):
                yield f"learning.csv: {what}: there is no {name}"


def main():
    root, data, folder = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(root / "tools/docs"))
    import docs
    names = [docs.reading.name_of(record) for record in json.loads(data.read_text())]
    site = docs.build(root, data, folder)
    errors = [*wrong_pages(folder), *wrong_functions(site, names), *wrong_names(site.rows, root),
              *wrong_learning(site, docs.learning)]
    # It must see a page that is gone and is linked to, an example that printed nothing, a name that is not there.
    (folder / "sqrt.html").unlink()
    site.functions[0].examples[0].output = ""
    rows = [dict(site.rows[0], tenon="tn::no_such_name(x)"), *site.rows[1:]]
    site.learning_names[0] = dict(site.learning_names[0], tenon="nn::NoSuchLayer{}")
    planted = [list(wrong_pages(folder)), list(wrong_functions(site, names)), list(wrong_names(rows, root)),
               list(wrong_learning(site, docs.learning))]
    if not planted[0] or len(planted[1]) < 2 or not planted[2] or not planted[3]:
        errors.append("what was planted was not seen")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
