"""The section "Learning": a page for each family of headers, made of their words and declarations, and the tables of
what is called otherwise in Keras and PyTorch.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import dataclasses
import re

import reading

# Page, title, headers in the order in which they are shown, the lesson that goes with it.
FAMILIES = [
    ("models", "Models and weights", ("nn.h", "nn/layer.h", "nn/sequential.h", "nn/weight.h", "nn/values.h", "nn/model.h",
                                      "gradients.h", "nn/*.h"), "18_layers"),
    ("layers", "Layers", ("nn/layers.h", "nn/layers/dense.h", "nn/layers/*.h"), "18_layers"),
    ("sequences", "Recurrent layers and attention", ("nn/recurrent.h", "nn/cells.h", "nn/attention.h", "nn/positions.h"), ""),
    ("losses", "Losses", ("losses.h",), "19_training"),
    ("metrics", "Metrics", ("metrics.h", "detail/metric.h"), "19_training"),
    ("optimizers", "Optimizers and schedules", ("optim.h", "optim/optimizer.h", "optim/*.h"), "19_training"),
    ("data", "Datasets", ("data.h", "data/*.h", "datasets.h"), "21_data"),
    ("training", "Training", ("train.h", "train/fit.h", "train/*.h"), "19_training"),
    ("summaries", "Summaries and pictures", ("summary.h", "plot.h"), "24_tensorboard"),
]
# The namespaces of what a page shows.
NAMESPACES = {"models": ["nn"], "layers": ["nn"], "sequences": ["nn"], "losses": ["losses"], "metrics": ["metrics"], "optimizers": ["optim"], "data": ["data", "datasets"],
              "training": ["train"], "summaries": ["summary", "plot"]}
# Tables of names: the column of learning.csv, the page, the title, what a user of it has to know first.
PEERS = [
    ("keras", "from_keras", "From Keras", [
        "A model is a plain struct with layers as members: there is nothing to register, and no `super().__init__()`. A class "
        "in Keras' style derives from `nn::Layer` and names its parts in `fields`.",
        "Options have Keras' names and order and are given by name: `nn::Dense{64, {.activation = tn::relu}}`. C++ wants them "
        "in the order of the declaration; g++ says `designator order ... does not match` otherwise.",
        "Functions take the place of strings: `tn::relu`, not \"relu\". The exceptions are `.optimizer` and `.metrics`.",
        "A model has one input in `fit`, `compile` and `evaluate`. One with several is trained by a loop of one's own, as in "
        "lesson 20; a mask can be computed within `operator()`, as `x != 0`.",
        "`weight_decay` is decoupled in every optimizer, also in SGD and Adam: for a penalty in the loss give the layers a "
        "`kernel_regularizer`.",
        "There is no `add_loss`: an `.activity_regularizer` adds what it computes of a layer's output to the loss of `fit`.",
        "Masks do not travel by themselves (`mask_zero`): `lstm(x, {.mask = mask})`.",
        "Training is a fact of the call: layers infer unless a `nn::TrainingScope` lives or `{.training = true}` is given. "
        "`fit` gives it.",
        "The learning rate is a Variable: `optimizer.learning_rate().assign(1e-4)`.",
        "There is no `return_state=True`: what a call returns never depends on options. `lstm.run(x, state)` gives outputs "
        "and state.",
        "A class with `train_step` of its own is a jitted step and `train::Progress`.",
    ]),
    ("torch", "from_pytorch", "From PyTorch", [
        "Images are (batch, height, width, channels) unless `.data_format = tn::DataFormat::channels_first` is given.",
        "A layer gets the size of its input from its first call, as PyTorch's lazy modules do: `nn::Dense{10}`, not "
        "`nn.Linear(784, 10)`.",
        "There is no `model.train()` and `model.eval()`: inference is the default, and a `nn::TrainingScope` trains.",
        "Gradients carry their Variables, so an optimizer is made without parameters: "
        "`auto [loss, gradients] = nn::value_and_grad(f)(model, x, y); optimizer.apply_gradients(gradients);`. The form with "
        "`tape.backward(loss)`, `optimizer.step(variables)` and `optimizer.zero_grad(variables)` is there as well.",
        "Losses take (y_true, y_pred), the target first, as in Keras.",
        "`weight_decay` of every optimizer is decoupled, as in `torch.optim.AdamW`; the defaults of epsilon and of AdamW's "
        "decay are Keras'. `exclude_from_weight_decay` takes the place of parameter groups; other groups are Transforms.",
        "A number that a jitted lambda captures, such as the weight of a loss, is read once: pass it as an Array, or make it "
        "a `tn::Variable`.",
    ]),
]


@dataclasses.dataclass
class Part:
    """A class or a function of a header: its name, words and declaration."""
    name: str
    words: list
    code: str


def pieces(lines):
    """Lines of a comment, without its slashes, as paragraphs and code, which is indented: (is it code, text)."""
    parts, was_code = [], False
    for line in lines:
        is_code = line.startswith("   ") or (was_code and not line.strip())
        if parts and was_code == is_code:
            parts[-1][1].append(line)
        else:
            parts.append((is_code, [line]))
        was_code = is_code
    result = []
    for is_code, these in parts:
        if is_code:
            result.append((True, "\n".join(line.removeprefix("   ") for line in these).strip("\n")))
        else:
            result += [(False, " ".join(part.split())) for part in "\n".join(line.strip() for line in these).split("\n\n")
                       if part.strip()]
    return result


def of_comment(comment):
    """A comment with ///."""
    return pieces(line.removeprefix("///") for line in comment.strip("\n").split("\n"))


PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
DECLARATION = re.compile(
    r"(?P<comment>(?:^///[^\n]*\n)*)"
    r"(?:^(?P<template>template <[^\n]*>\n?\s*(?:requires[^\n]*\n\s*)?)?"
    r"(?:using (?P<alias>\w+) = (?P<of>[^;]*);\n"
    r"|(?P<class>class|struct|enum class) (?P<name>\w+)(?P<bases>[^;{\n]*)\{\n(?P<body>.*?)^\};\n"
    rf"|(?P<function>[A-Za-z_\[][\w:<>,&*\[\] ]*[ &*](?P<called>\w+){PARENTHESES}[^;{{(]*)(?:;|\{{)))",
    re.MULTILINE | re.DOTALL)


def parts_of(text):
    """What stands with a comment in namespace tenon, other than detail; options go with what they are the options of."""
    text = re.sub(r"^namespace (?:tenon::)?detail \{.*?^\} // namespace (?:tenon::)?detail$", "", text,
                  flags=re.DOTALL | re.MULTILINE)
    waiting, functions = "", {}
    for found in DECLARATION.finditer(text):
        words = of_comment(found["comment"]) if found["comment"] else []
        if any(part.startswith("Internal") for _, part in words):
            continue
        if found["alias"]:
            yield Part(found["alias"], words or [(False, f"`{found['of']}`.")], f"using {found['alias']} = {found['of']};")
        elif found["class"]:
            name, body = found["name"], found["body"]
            if found["class"] == "class":
                body = re.split(r"^(?:private|protected):\n", body.partition("public:\n")[2], flags=re.MULTILINE)[0]
            bases = re.sub(r": public (detail::\w+|TreeObject)\b\s*", "", found["bases"]).strip()
            shown = body.rstrip() if found["class"].startswith("enum") else "  " + reading.declarations(body).replace("\n", "\n  ")
            code = f"{found['class']} {name} {bases + ' ' if bases else ''}{{\n{shown}\n}};".replace("\n  \n", "\n\n")
            if not words:
                waiting += code + "\n"
                continue
            yield Part(name, words, waiting + code)
            waiting = ""
        else:
            name = found["called"]
            if name in ("static_assert", "retain", "release") or "operator" in found["function"]:
                continue
            code = re.sub(r"\s+", " ", re.sub(r"\[\[nodiscard\]\] |\binline ", "", found["function"])).strip() + ";"
            if name in functions:
                functions[name].code += "\n" + code
            elif words:
                functions[name] = Part(name, words, waiting + code)
                waiting = ""
                yield functions[name]


@dataclasses.dataclass
class Family:
    page: str
    title: str
    headers: list
    lesson: str
    words: list
    parts: list


def families(include):
    named = {pattern for _, _, patterns, _ in FAMILIES for pattern in patterns if "*" not in pattern}
    for page, title, patterns, lesson in FAMILIES:
        # A pattern stands for the headers that no page names.
        paths = list(dict.fromkeys(path for pattern in patterns for path in sorted(include.glob(pattern))
                                   if pattern in named or str(path.relative_to(include)) not in named))
        if not paths:
            continue
        texts = [path.read_text() for path in paths]
        parts = [part for text in texts for part in list(parts_of(text))]
        yield Family(page, title, [str(path.relative_to(include)) for path in paths], lesson,
                     [piece for text in texts for piece in introduction(text)], parts)


def introduction(text):
    """The words at the beginning of a header."""
    lines = re.match(r"(?://.*\n)+", text)[0].split("\n")[3:]
    return pieces(line[2:] for line in lines if line.startswith("//") and not line.startswith("//==="))


def names(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
