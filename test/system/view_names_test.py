#!/usr/bin/env python3
"""No pass knows a view op by its name: it asks the op's record, or where the rule says that the result lies.

    view_names_test.py ROOT OPTABLE.GEN.INC

Prints each place that compares with a view op's code or asks for its class, what is these ops' own apart, and fails.
Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys

# Each op's own rewrites, as members of its class; and what reads the names that checkpoint_name gives.
OWN = ("dialect/ir/FoldMovement.cpp", "lib/control/Checkpoint.cpp")


def views(table):
    """The mnemonics of the ops that their records call views."""
    return [row[1] for row in re.finditer(r'\.name = "(\w+)"(?:(?!\.name).)*?\.isView = (true|false)', table, re.S)
            if row[2] == "true"]


def pattern(names):
    codes = r"(?:\w+::)*OpCode::(?:%s)\b" % "|".join(names)
    classes = r"\b(?:%s)Op\b" % "|".join("".join(word.capitalize() for word in name.split("_")) for name in names)
    asked = r"isa|\w*cast|\w*_or_null|\w*_if_present|\w+_and_\w+|get\w*Of\w*|getDefiningOp|getOps|Case|\w*Pattern"
    return re.compile(rf"case {codes}|[!=]= ?{codes}|{codes} ?[!=]=|is_contained\([^;]*{codes}|uint\d+_t\({codes}|"
                      rf"\b(?:{asked})<[^<>]*{classes}|\((?:\w+::)*{classes} \w+\)")


def places(names, file, text):
    """A line for each place in `text` that knows a view by its name."""
    for found in pattern(names).finditer(text):
        yield f"{file}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}"


def main():
    root = pathlib.Path(sys.argv[1])
    names = views(pathlib.Path(sys.argv[2]).read_text())
    if "slice" not in names or "pad" in names:
        sys.exit(f"expected the view ops of the table, got {names}")
    for planted in ["case OpCode::slice:", "op.code == OpCode::broadcast_to", "if (OpCode::split != code)",
                    "op.code == tenon::OpCode::slice", "is_contained({OpCode::pad, OpCode::slice}, code)",
                    "info.code == uint16_t(OpCode::slice)", "isa<ir::FullOp, ir::ReshapeOp>(op)",
                    "llvm::dyn_cast_or_null<ir::OptimizationBarrierOp>(op)", "dyn_cast_if_present<ir::SliceOp>(op)",
                    "isa_and_present<ir::SliceOp>(op)", "op->getParentOfType<ir::SliceOp>()", ".Case<ir::SliceOp>([&]",
                    "OpRewritePattern<ir::ReshapeOp>", "[&](ir::SplitOp op) {"]:
        if not list(places(names, "planted", planted)):
            sys.exit(f"what was planted goes unseen: {planted}")
    found = []
    for folder in ("dialect", "lib", "runtime"):
        for path in sorted((root / folder).rglob("*")):
            file = str(path.relative_to(root))
            if path.suffix in (".h", ".cpp", ".td") and file not in OWN:
                found += places(names, file, path.read_text())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
