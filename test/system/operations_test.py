#!/usr/bin/env python3
"""The signatures as data are those of the public header: what another language makes of operations.json can call them.

    operations_test.py OPERATIONS.JSON OPS.H

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import re
import sys

# By type: in C++, and where it may be left out without a literal.
TYPES = {
    "operand": ("const Operand &", "none"), "arrays": ("const Arrays &", "{}"), "axes": ("const Ints &", "{}"),
    "ints": ("const Ints &", "{}"), "shape": ("const Shape &", None), "axis": ("Axis ", "{}"), "size": ("Dim ", "{}"),
    "int": ("int ", "{}"), "float": ("double ", "{}"), "bool": ("bool ", "{}"), "number": ("Scalar ", "{}"),
    "text": ("std::string_view ", "{}"), "dtype": ("Dtype ", "{}"), "device": ("Device ", "{}"),
    "padding": ("const Padding &", "{}")
}
RESULTS = {"array": "Array", "arrays": "std::vector<Array>", "nothing": "void"}
KEYWORDS = {"default", "delete", "new"}


def identifier(name):
    return name + ("_" if name in KEYWORDS else "")


def parameter(one):
    """`const Ints &axes = {}`, from the data alone."""
    kind, nothing = TYPES.get(one["type"], (one["type"] + " ", None))  # an enum has its own name
    name = identifier(one["name"])
    if "default" not in one:
        return kind + name
    if one["default"] is None:
        if not kind.endswith("&"):
            kind = f"std::optional<{kind.strip()}> "
        return f"{kind}{name} = {nothing}"
    value = json.dumps(one["default"]) if one["type"] == "text" else one["default"]
    return f"{kind}{name} = {value if isinstance(value, str) else json.dumps(value).replace('e-0', 'e-')}"


def declaration(operation):
    parameters = [parameter(one) for one in operation["parameters"] if "options" not in operation or "default" not in one]
    if "options" in operation:
        parameters.append(f"const {operation['options']} &options = {{}}")
    if all(one["type"] != "operand" for one in operation["parameters"]):
        parameters.append("Location at = Location::current()")
    result = RESULTS.get(operation["returns"], operation["returns"])
    return f"{result} {identifier(operation['name'])}({', '.join(parameters)});"


def wrong(operations, header):
    """A sentence for each thing that is not so."""
    header = re.sub(r"= (\d+)\.0\b", r"= \1", header)
    header = re.sub(r"namespace detail \{.*?\} // namespace detail\n", "", header, flags=re.DOTALL)
    code = re.sub(r"\s+", " ", re.sub(r"//.*", "", header))
    # Functions with options: the positional form, which is a template.
    code = re.sub(r"template <class \w+ = [\w:<>]+> (\[\[nodiscard\]\] Array \w+\([^;]*\)) \{[^{}]*\}", r"\1;", code)
    # Those with options alone.
    code = re.sub(r"\[\[nodiscard\]\] inline (\w+ \w+\([^;{]*&options = \{\}\)) \{[^{}]*\}", r"\1;", code)
    code = code.replace("detail::Positional<Axes>", "Ints").replace("detail::Positional<Place>", "std::optional<Axis>")
    # Overloads by hand.
    code = code.replace("void print(const Operand &x);", "")
    code = re.sub(r"\[\[nodiscard\]\] inline Array einsum\([^;]*\) \{[^{}]*\}", "", code)
    code = re.sub(r"\[\[nodiscard\]\] Array einsum\(std::string_view equation(, const Operand &x\d)+, "
                  r"std::optional<Dtype> dtype = \{\}\);", "", code)
    code = code.replace("Array check(const Operand &x);", "")
    code = code.replace("Array cond(const Operand &x, MatrixNorm ord = MatrixNorm::spectral);", "")
    results = "TopK|MantissaExponent|Unique\\w+|Histogram\\w*|DivMod|TriangleIndices|MaxPool|BatchNorm|\\w+Result"
    declared = re.findall(rf"(?:Array|std::vector<Array>|void|{results}) \w+\((?:[^()]|\(\))*\);", code)
    made = [declaration(operation) for operation in operations]
    for text in sorted(set(made) ^ set(declared)):
        yield f"only {'in the data' if text in made else 'in the header'}: {text}"
    for operation in operations:
        if not operation["summary"] or not operation["dtypes"]:
            yield f"{operation['name']}: expected a summary and dtypes"


def main():
    operations = json.loads(pathlib.Path(sys.argv[1]).read_text())
    header = pathlib.Path(sys.argv[2]).read_text()
    errors = list(wrong(operations, header))
    if not operations:
        errors.append("expected operations, got none")
    # It must see another default and a function that is not there.
    planted = header.replace(", Axis axis = -1", ", Axis axis = -2", 1).replace("Array sqrt(", "Array root(", 1)
    if len(list(wrong(operations, planted))) < len(errors) + 4:
        errors.append("what was planted was not seen")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
