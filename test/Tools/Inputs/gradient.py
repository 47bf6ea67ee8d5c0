"""gradient.py FUNCTION.mlir FOLDER: writes gradient.md and gradient.svg into FOLDER. They show the function, its
gradient and the simplified gradient, as text and as one picture."""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import html
import pathlib
import re
import subprocess
import sys
import textwrap

GRADIENT = '--tenon-grad=wrt=0 value=true'
STEPS = (("function", "The function", []), ("gradient", "with its gradient", [GRADIENT]),
         ("simplified", "and simplified", [GRADIENT, "--tenon-simplify"]))

WIDTH, HEIGHT = 96, 26  # size of a box
ACROSS, DOWN = 112, 52  # distance between neighboring boxes


class Graph:
    """A graph of ops. A box is (label, numbers of the boxes of its operands); `names` are the function's arguments."""

    def __init__(self, text, names, forward):
        self.boxes, self.kinds, made = [], [], {}

        def add(label, operands, kind):
            self.boxes.append((label, operands))
            self.kinds.append(kind)
            return len(self.boxes) - 1

        for i, name in enumerate(names):
            made[f"%arg{i}"] = add(name, [], "argument")
        for line in text.splitlines():
            if found := re.match(r"\s*(%\d+) = tenon\.(\w+)(.*?) : ", line):
                result, op, rest = found.groups()
                number = re.search(r"value (\S+)", rest)
                operands = [made[name] for name in re.findall(r"%\w+", rest)]
                kind = "forward" if len(made) - len(names) < forward else "backward"
                made[result] = add(number.group(1) if op == "full" else op, operands, kind)
            elif found := re.match(r"\s*return (.*?) : ", line):
                results = re.findall(r"%\w+", found.group(1))
                for label, name in zip(("value", f"d {names[0]}") if len(results) > 1 else ("value",), results):
                    add(label, [made[name]], "result")

    def places(self):
        """Returns the column and the row of each box: below its operands, in the first free column."""
        readers = {}
        for i, (_, operands) in enumerate(self.boxes):
            for operand in operands:
                readers.setdefault(operand, []).append(i)
        rows = []
        for _, operands in self.boxes:
            rows.append(1 + max((rows[operand] for operand in operands), default=-1))
        for i in reversed(range(len(rows))):  # close to their users
            if self.kinds[i] == "backward":
                rows[i] = min(rows[reader] for reader in readers[i]) - 1
        columns, taken = [], set()
        for i, (_, operands) in enumerate(self.boxes):
            column = min((columns[operand] for operand in operands), default=0)
            while (column, rows[i]) in taken:
                column += 1
            taken.add((column, rows[i]))
            columns.append(column)
        return columns, rows

    def svg(self, left, top):
        columns, rows = self.places()
        out = []
        for i, (_, operands) in enumerate(self.boxes):
            for operand in sorted(set(operands)):
                x1, y1 = left + columns[operand] * ACROSS + WIDTH // 2, top + rows[operand] * DOWN + HEIGHT
                x2, y2 = left + columns[i] * ACROSS + WIDTH // 2, top + rows[i] * DOWN
                bend = 18 if rows[i] == rows[operand] + 1 else 30
                out.append(f'<path class="edge" d="M{x1} {y1} C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"/>')
        for i, (label, _) in enumerate(self.boxes):
            x, y = left + columns[i] * ACROSS, top + rows[i] * DOWN
            out.append(f'<rect class="{self.kinds[i]}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>')
            out.append(f'<text x="{x + WIDTH // 2}" y="{y + 17}">{html.escape(label)}</text>')
        return out, (max(columns) + 1) * ACROSS, (max(rows) + 1) * DOWN


STYLE = """text { font: 13px sans-serif; text-anchor: middle; fill: #1c2733 }
.title { font-weight: bold }
rect { stroke: #5b6b7b; fill: #ffffff }
.argument { fill: #e8ecf0 }
.forward { fill: #d9e8f7 }
.backward { fill: #fbe3cf }
.result { fill: #ddf0dc }
.edge { fill: none; stroke: #5b6b7b }"""


def picture(texts, names):
    out, left, bottom = [], 20, 0
    forward = len(re.findall(r"= tenon\.", texts["function"]))
    for key, title, _ in STEPS:
        drawn, width, height = Graph(texts[key], names, forward).svg(left, 50)
        out.append(f'<text class="title" x="{left + width // 2}" y="28">{title}</text>')
        out += drawn
        left, bottom = left + width + 40, max(bottom, 50 + height)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{left - 20}" height="{bottom + 10}">',
                      f"<style>{STYLE}</style>", '<rect x="0" y="0" width="100%" height="100%" stroke="none"/>', *out,
                      "</svg>", ""])


def main(source, folder):
    def opt(arguments):
        done = subprocess.run(["tenon-opt", *arguments, source], capture_output=True, text=True, check=True)
        return textwrap.dedent(re.search(r"^  func\.func .*?^  }$", done.stdout, re.M | re.S).group(0))

    texts = {key: opt(arguments) for key, _, arguments in STEPS}
    names = re.findall(r"%(\w+): tensor", open(source).read().split("{")[0])
    pathlib.Path(folder, "gradient.svg").write_text(picture(texts, names))
    pathlib.Path(folder, "gradient.md").write_text(PAGE.format(**texts))


PAGE = """<!-- Generated by test/Tools/Inputs/gradient.py; `./dev docs` regenerates it. -->
# A function and its gradient

This page shows the ops that reverse-mode differentiation adds to a function, before and after simplification. Read it
if you work on derivative rules, or to understand what `tenon-opt --tenon-grad` prints.

![three graphs of ops](gradient.svg)

Blue: ops of the function. Orange: ops that the derivative adds.

**The function**, `test/Tools/Inputs/loss.mlir`: `sum(tanh(matmul(x, w)))`. `%arg0` is `w`, `%arg1` is `x`.

```mlir
{function}
```

**Its gradient** with respect to `w` (argument 0): `tenon-opt --tenon-grad="wrt=0 value=true" loss.mlir`. The ops of the
function come first, and its value is the first result (`value=true`). Then follow the derivatives of its ops, in
reverse order:

- `sum`: the cotangent of each element is 1 (`full`, `reshape`, `broadcast_to`);
- `tanh`: times `sech_squared`, which is `1 - tanh^2`;
- `dot_general`: `x` and the cotangent, summed over the rows of both.

`tn::grad` traces the same ops.

```mlir
{gradient}
```

**Simplified**, with `--tenon-simplify` in addition. The multiplication by 1 is folded, and the ops that made the ones
are removed.

```mlir
{simplified}
```
"""

main(*sys.argv[1:])
