//===- Summary.cpp - Keras' table of the layers of a model ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Running.h"
#include "lib/trace/State.h"

#include <tenon/format.h>
#include <tenon/nn/model.h>

#include <algorithm>
#include <cctype>

using namespace tenon;
using namespace tenon::detail;

namespace {
struct Row {
  std::string name, shape;
  std::vector<Variable> variables;
};
} // namespace

/// MaxPooling2D as max_pooling2d, as Keras names layers.
static std::string snakeCase(const std::string &kind) {
  std::string name;
  for (size_t i = 0; i < kind.size(); ++i) {
    const bool startsWord = std::isupper(static_cast<unsigned char>(kind[i])) && i > 0 && i + 1 < kind.size() &&
                            std::islower(static_cast<unsigned char>(kind[i + 1]));
    name += startsWord ? "_" : "";
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(kind[i])));
  }
  return name;
}

class SummaryScope::Rows final : public LayerObserver {
public:
  explicit Rows(const nn::Layer *root) : LayerObserver(root) {}
  void called(const nn::Layer &layer, const Shape &result) override {
    VariableList list;
    for_each_leaf(layer, [&](const Variable &leaf, const Path &path) { list.add(leaf, path); });
    // One that is called again, with its weights, is one layer.
    for (const Row &row : all)
      if (!row.variables.empty() && !list.variables.empty() && row.variables[0].is_same(list.variables[0]))
        return;
    std::string kind = className(layer), name = layer.name();
    if (name == kind)
      name = snakeCase(kind);
    std::string shape = "(None";
    for (int axis = 1; axis < result.rank(); ++axis)
      shape += ", " + Dim(result[axis]).str();
    all.push_back({name + " (" + kind + ")", result.rank() ? shape + (result.rank() == 1 ? ",)" : ")") : "()",
                   std::move(list.variables)});
  }
  bool wasTold() const override { return !all.empty(); }
  std::vector<Row> all;
};

SummaryScope::SummaryScope(const nn::Layer *root) : rows_(new Rows(root)) {}
SummaryScope::~SummaryScope() { delete rows_; }

/// 101770 as 101,770.
static std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<int>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<size_t>(place), ",");
  return text;
}

std::string SummaryScope::table(const VariableList &list) const {
  size_t nameWidth = 28, shapeWidth = 26;
  for (const Row &row : rows_->all) {
    nameWidth = std::max(nameWidth, row.name.size() + 3);
    shapeWidth = std::max(shapeWidth, row.shape.size() + 2);
  }
  const size_t width = nameWidth + shapeWidth + 11;
  const auto line = [&](char of) { return std::string(width, of) + "\n"; };
  std::string text = line('_');
  const auto addRow = [&](const std::string &name, const std::string &shape, const std::string &count) {
    text += tenon::format(" {:<{}} {:<{}} {}\n", name, nameWidth - 2, shape, shapeWidth - 1, count);
  };
  addRow("Layer (type)", "Output Shape", "Param #");
  text += line('=');
  for (const Row &row : rows_->all)
    addRow(row.name, row.shape, grouped(count_of(row.variables)));
  const int64_t total = count_of(list.variables), trainable = count_of(trainable_of(list.variables));
  text += line('=');
  text += tenon::format("Total params: {}\nTrainable params: {}\nNon-trainable params: {}\n", grouped(total),
                        grouped(trainable), grouped(total - trainable));
  return text + line('_');
}
