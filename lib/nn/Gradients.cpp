//===- Gradients.cpp - the gradients of a model --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Norms.h"
#include "lib/trace/Interpreter.h"

#include <tenon/gradients.h>

#include <cmath>
#include <set>

using namespace tenon;
using namespace tenon::nn;

Gradients::Gradients(std::vector<Entry> entries, Location at) : entries_(std::move(entries)) {
  std::set<std::string_view> paths;
  std::set<uint64_t> variables;
  for (const Entry &entry : entries_) {
    auto refuse = [&](const std::string &sentence) {
      throw Error("Gradients: expected " + sentence + "\n  variable: '" + entry.path + "'", userLocation(at));
    };
    if (!entry.variable.cell())
      refuse("a Variable, got an empty one");
    if (!paths.insert(entry.path).second)
      refuse("each path once");
    if (!variables.insert(detail::identity_of(entry.variable)).second)
      refuse("each Variable once");
    if (entry.gradient.has_value() && entry.gradient.shape() != entry.variable.shape(at))
      refuse("a gradient of shape " + entry.variable.shape(at).str() + ", got " + entry.gradient.shape().str());
  }
}

const Array &Gradients::operator[](const detail::NamedPlace &path) const {
  std::string known;
  for (const Entry &entry : entries_) {
    if (entry.path == path.name())
      return entry.gradient;
    known += (known.empty() ? "'" : ", '") + entry.path + "'";
  }
  throw Error("Gradients: expected a path among " + (known.empty() ? "none" : known) + ", got '" +
                  std::string(path.name()) + "'",
              userLocation(path.at()));
}

std::vector<std::string> Gradients::paths() const {
  std::vector<std::string> all;
  for (const Entry &entry : entries_)
    all.push_back(entry.path);
  return all;
}

Gradients Gradients::sumOf(const Gradients &x1, const Gradients &x2, Location at) {
  bool isSame = x1.size() == x2.size();
  for (size_t i = 0; isSame && i < x1.size(); ++i)
    isSame = x1.entries_[i].variable.is_same(x2.entries_[i].variable);
  if (!isSame)
    throw Error("Gradients: expected gradients of the same Variables in the same order", userLocation(at));
  Gradients result = x1;
  for (size_t i = 0; i < x1.size(); ++i) {
    const Array &other = x2.entries_[i].gradient;
    Array &gradient = result.entries_[i].gradient;
    if (other.has_value())
      gradient = gradient.has_value() ? gradient + other : other;
  }
  return result;
}

/// A number, or an array of rank 0, in the dtype of `gradient`.
static Array factorFor(const Array &gradient, const Operand &factor) {
  const Location at = factor.location();
  if (factor.is_scalar())
    return Array(factor.scalar(), gradient.dtype(), at);
  const Array array = factor.value() ? Array::share(factor.value()) : Array();
  if (!array.has_value() || array.ndim() != 0)
    throw Error("Gradients: expected a number or an array of rank 0, got " +
                    (array.has_value() ? "one of shape " + array.shape().str() : std::string("an empty Array")),
                userLocation(at));
  return array.astype(gradient.dtype());
}
Gradients Gradients::times(const Operand &factor) const {
  Gradients result = *this;
  for (Entry &entry : result.entries_)
    if (entry.gradient.has_value())
      entry.gradient = entry.gradient * factorFor(entry.gradient, factor);
  return result;
}
Gradients Gradients::over(const Operand &divisor) const {
  Gradients result = *this;
  for (Entry &entry : result.entries_)
    if (entry.gradient.has_value())
      entry.gradient = entry.gradient / factorFor(entry.gradient, divisor);
  return result;
}

Array nn::global_norm(const Gradients &gradients, Location at) {
  const LocationScope scope("global_norm", at);
  std::vector<Array> arrays;
  for (const Gradients::Entry &entry : gradients.entries())
    if (entry.gradient.has_value())
      arrays.push_back(entry.gradient);
  return globalNormOf(arrays);
}

Gradients nn::clip_by_global_norm(const Gradients &gradients, double norm, Location at) {
  if (!(norm > 0 && std::isfinite(norm)))
    throw Error("clip_by_global_norm: expected norm > 0, got " + Scalar(norm).str(), userLocation(at));
  const LocationScope scope("clip_by_global_norm", at);
  const Array all = global_norm(gradients, at);
  return gradients * clipFactor(all, full_like(all, norm));
}
