"""stages.py SOURCE TRACE: prints dialect/stages.md: the function `layer` of SOURCE, whose saved trace is TRACE, at
each stage of its compilation. Locations are left out, and what is around the loop where the text is long."""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import textwrap

# Without AVX-512: the same text on every machine.
ENVIRONMENT = {**os.environ, "TENON_ISA": "v3"}


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout


def part(pattern, text):
    """The first match, without the indentation that all its lines have."""
    return textwrap.dedent(re.search(pattern, text, re.M | re.S).group(0)).strip("\n")


def function(text):
    return part(r"^  func\.func .*?^  }$", text)


def main(source, trace):
    def stage(name):
        return run(["tenon-run", f"--emit={name}", trace])

    def dialect(name):
        return run(["tenon-opt"], stage(name))

    shown = {}
    with open(source) as file:
        shown["source"] = part(r"^static Array layer\(.*?^}$", file.read())
    shown["trace"] = re.sub(r"  # .*", "", stage("text")).strip()
    for name in "tenon", "simplified", "grouped", "linalg":
        shown[name] = function(dialect(name))
    # The loop over whole vectors.
    shown["vector"] = part(r"^( +)scf\.for [^\n]* step %c16_i64.*?^\1}$", dialect("vector"))
    shown["llvm"] = re.sub(r", !dbg !\d+|(?<=:) +; preds.*", "",
                           part(r"^\d+:(?:(?!^\d+:).)*?fadd.*?^  br [^\n]*$", stage("llvm")))
    shown["asm"] = re.sub(r"^\t\.loc.*\n", "", part(r"^(\.LBB0_\d+):(?:(?!^\.LBB0).)*?vaddps.*?^\tj\w+\t\1$",
                                                   stage("asm")), flags=re.M).expandtabs(8)
    print(PAGE.format(**shown), end="")


PAGE = """<!-- Made by test/Tools/Inputs/stages.py; `./dev docs` writes it anew. -->
# One function, stage by stage

What becomes of a layer of a network; it calls another jitted function. Each text is what `lower(...).stage(NAME)` or
`tenon-run --emit=NAME` gives, but for the locations: each op carries the user's line.

```cpp
{source}
```

**`trace()`**: what was recorded. A call of a jitted function is one op.

```
{trace}
```

**`tenon`**: the same in the compiler's dialect. `?` is the size that has a name; where an op takes it, it stands among
the other sizes.

```mlir
{tenon}
```

**`simplified`**: the call is small, so its body stands in its place; folds, and equal ops once.

```mlir
{simplified}
```

**`grouped`**: what becomes one kernel. The matrix product is a step that runs the library's kernel. The header of the
other says what each argument of the body is: `%x` is the product along outer axis 0 and the row, the bias is the same
row each time, 0.5 is passed when the kernel runs, and so is the length of a row. The body is the function of one row.

```mlir
{grouped}
```

**`linalg`**: the kernel alone, as one walk over a row in memory.

```mlir
{linalg}
```

**`vector`**: loops over 16 lanes, here that over whole vectors; rows, and a row's end, are left out.

```mlir
{vector}
```

**`llvm`**: the same loop.

```llvm
{llvm}
```

**`asm`**: on AVX2.

```asm
{asm}
```
"""

main(*sys.argv[1:])
