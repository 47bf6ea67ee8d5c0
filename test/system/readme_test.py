#!/usr/bin/env python3
"""What README.md says of places: each path that stands in its tables exists, each name in the table of what can be
added stands in one of the files of its row.

    readme_test.py ROOT

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys


def rows(text, heading):
    """The rows of the table below the row that begins with `heading`, as lists of cells."""
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith(f"| {heading} |"):
            break
    result = []
    for line in lines:
        if not line.startswith("|"):
            break
        if not line.startswith("|---"):
            result.append([cell.strip() for cell in line.strip("|").split("|")])
    return result


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def wrong(root, text):
    """A sentence for each thing that is not so."""
    places, additions = rows(text, "Directory"), rows(text, "To add")
    if not places or not additions:
        yield "expected the tables 'Directory' and 'To add'"
    for cells in places:
        for folder in quoted(cells[0]):
            if not (root / folder).is_dir():
                yield f"no directory {folder}"
    for cells in additions:
        names = [name for name in quoted(cells[-1]) if "/" not in name]
        paths = [path for cell in cells for path in quoted(cell) if "/" in path]
        texts = []
        for path in paths:
            if (root / path).is_file():
                texts.append((root / path).read_text())
            elif not (root / path).is_dir():
                yield f"'{cells[0]}': no file {path}"
        for name in names:
            if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts):
                yield f"'{cells[0]}': {name} stands in none of {', '.join(paths)}"


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "README.md").read_text()
    errors = list(wrong(root, text))
    # It must see a path that is gone and a name that is not there.
    planted = text.replace("dialect/records/Elementwise.td", "dialect/records/Elementwide.td").replace("`i16`", "`i17`")
    if len(list(wrong(root, planted))) < len(errors) + 2:
        errors.append("what was planted was not seen")
    for error in errors:
        print(f"README.md: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
