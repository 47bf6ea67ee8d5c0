//===- Dense.cpp - layers of products and tables ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers/dense.h>
#include <tenon/nn/regularizers.h>

#include <cctype>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Dense
//===----------------------------------------------------------------------===//

nn::Dense::Dense(int64_t units, const DenseOptions &options, Location at) : units_(units), options_(options) {
  expectPositive("Dense", "units", units, at);
  setRules(kernel_, options.kernel_regularizer, options.kernel_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  if (options_.input_shape.rank() > 0)
    build(withBatch(options_.input_shape));
}

void nn::Dense::build(const Shape &input) const {
  const LayerCall here(*this);
  if (input.rank() == 0)
    here.refuse("expected an input with features along the last axis, got a shape of rank 0");
  here.expectSize("features", -1, input, kernel_, 0);
  kernel_.build({input[-1], units_}, options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({units_}, options_.bias_initializer);
}

Array nn::Dense::call(const Array &x) const {
  const LayerCall here(*this);
  const Array product = matmul(x, kernel_);
  const Array y = options_.activation(options_.use_bias ? product + bias_ : product);
  nn::ActivityScope::add(options_.activity_regularizer, y);
  return y;
}

void nn::Dense::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

//===----------------------------------------------------------------------===//
// EinsumDense
//===----------------------------------------------------------------------===//

namespace {
/// The letters of a term, and where its ellipsis is.
struct Term {
  std::string letters;
  bool isOpenBefore = false, isOpenAfter = false;
};
} // namespace
/// False if it is no term of distinct letters with an ellipsis at one end at most.
static bool readTerm(std::string text, Term &term) {
  if (text.starts_with("...")) {
    term.isOpenBefore = true;
    text.erase(0, 3);
  } else if (text.ends_with("...")) {
    term.isOpenAfter = true;
    text.resize(text.size() - 3);
  }
  for (size_t i = 0; i < text.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(text[i])) || text.find(text[i]) != i)
      return false;
  term.letters = std::move(text);
  return true;
}

nn::EinsumDense::EinsumDense(std::string equation, const Shape &output_shape, const EinsumDenseOptions &options,
                             Location at)
    : equation_(std::move(equation)), outputs_(output_shape), options_(options) {
  auto refuse = [&](const std::string &sentence) {
    throw Error("EinsumDense: expected " + sentence, userLocation(at));
  };
  setRules(kernel_, options.kernel_regularizer, options.kernel_constraint);
  setRules(bias_, options.bias_regularizer, options.bias_constraint);
  std::erase(equation_, ' ');
  const size_t comma = equation_.find(','), arrow = equation_.find("->");
  Term input, weight, result;
  const bool isRead = comma != std::string::npos && arrow != std::string::npos && comma < arrow &&
                      readTerm(equation_.substr(0, comma), input) &&
                      readTerm(equation_.substr(comma + 1, arrow - comma - 1), weight) &&
                      readTerm(equation_.substr(arrow + 2), result);
  if (!isRead || weight.isOpenBefore || weight.isOpenAfter || input.isOpenBefore != result.isOpenBefore ||
      input.isOpenAfter != result.isOpenAfter)
    refuse("an equation as \"ab,bc->ac\", \"...b,bc->...c\" or \"ab...,bc->ac...\", got \"" + equation_ + "\"");
  input_ = input.letters, weight_ = weight.letters, result_ = result.letters;
  isOpenBefore_ = input.isOpenBefore, isOpenAfter_ = input.isOpenAfter;
  for (const char letter : result_)
    if (input_.find(letter) == std::string::npos && weight_.find(letter) == std::string::npos)
      refuse(std::string("the letter '") + letter + "' of the result in the input or the kernel, got \"" + equation_ +
             "\"");
  for (const char letter : weight_)
    if (input_.find(letter) == std::string::npos && result_.find(letter) == std::string::npos)
      refuse(std::string("the letter '") + letter + "' of the kernel in the input or the result, got \"" + equation_ +
             "\"");
  for (const char letter : options_.bias_axes)
    if (result_.find(letter) == std::string::npos)
      refuse(std::string("letters of the result in bias_axes, got '") + letter + "' beside \"" + equation_ + "\"");
  // Without an ellipsis, or with one after the letters, the first of them is the batch.
  const int sizes = static_cast<int>(result_.size()) - (isOpenBefore_ ? 0 : 1);
  const bool isOpen = isOpenBefore_ || isOpenAfter_;
  if (isOpen ? outputs_.rank() < sizes : outputs_.rank() != sizes)
    refuse("an output_shape with " + std::to_string(sizes) + (isOpen ? " sizes or more" : " sizes") +
           ", without the batch, for \"" + equation_ + "\", got " + outputs_.str());
}

void nn::EinsumDense::build(const Shape &input) const {
  const LayerCall here(*this);
  const int letters = static_cast<int>(input_.size());
  const bool isOpen = isOpenBefore_ || isOpenAfter_;
  if (isOpen ? input.rank() < letters : input.rank() != letters)
    here.refuse("expected " + std::to_string(letters) + (isOpen ? " axes or more" : " axes") + " for \"" + equation_ +
                "\", got " + input.str());
  const int results = static_cast<int>(result_.size());
  // The size of a letter; -1 where only the input of the call says it.
  auto sizeOf = [&](char letter) -> Dim {
    Dim size = -1;
    if (const size_t place = input_.find(letter); place != std::string::npos)
      size = input[static_cast<int>(place) + (isOpenBefore_ ? input.rank() - letters : 0)];
    const size_t place = result_.find(letter);
    if (place == std::string::npos)
      return size;
    const int axis = isOpenBefore_ ? outputs_.rank() - results + static_cast<int>(place) : static_cast<int>(place) - 1;
    if (axis < 0)
      return size;
    const Dim given = outputs_[axis];
    if (given.is_static() && given.value() < 0)
      return size;
    if (provably_equal(size, -1) != Always::yes && provably_equal(size, given) == Always::no)
      here.refuse("expected the size " + given.str() + " of output_shape for '" + letter + "' of \"" + equation_ +
                  "\", got an input of shape " + input.str());
    return given;
  };
  Shape kernel;
  for (const char letter : weight_) {
    const Dim size = sizeOf(letter);
    if (size.is_static() && size.value() < 0)
      here.refuse(std::string("expected a size for '") + letter + "' of \"" + equation_ + "\" in output_shape, got " +
                  outputs_.str());
    kernel.push_back(size);
  }
  if (kernel_.has_value())
    for (int axis = 0; axis < kernel.rank(); ++axis)
      if (provably_equal(kernel[axis], kernel_.shape()[axis]) != Always::yes)
        here.refuseSize("the size " + kernel_.shape()[axis].str() + " for '" + weight_[static_cast<size_t>(axis)] +
                            "' of \"" + equation_ + "\"",
                        input);
  kernel_.build(kernel, options_.kernel_initializer);
  if (options_.bias_axes.empty())
    return;
  // From the first letter that it has on, so that it broadcasts.
  const size_t first = result_.find_first_of(options_.bias_axes);
  Shape bias;
  for (size_t place = first; place < result_.size(); ++place)
    bias.push_back(options_.bias_axes.find(result_[place]) == std::string::npos ? Dim(1) : sizeOf(result_[place]));
  for (int axis = letters; isOpenAfter_ && axis < input.rank(); ++axis)
    bias.push_back(1);
  for (const Dim size : bias)
    if (!size.is_static() || size.value() < 0)
      here.refuse("expected known sizes of the bias' axes \"" + options_.bias_axes + "\" in output_shape, got " +
                  outputs_.str());
  bias_.build(bias, options_.bias_initializer);
}

Array nn::EinsumDense::call(const Array &x) const {
  const LayerCall here(*this);
  const Array product = einsum(equation_, {x, kernel_});
  const Array y = options_.activation(options_.bias_axes.empty() ? product : product + bias_);
  nn::ActivityScope::add(options_.activity_regularizer, y);
  return y;
}

void nn::EinsumDense::fields(Fields &f) {
  f("kernel", kernel_);
  if (!options_.bias_axes.empty())
    f("bias", bias_);
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

nn::Embedding::Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions &options, Location at)
    : inputs_(input_dim), outputs_(output_dim), options_(options) {
  expectPositive("Embedding", "input_dim", input_dim, at);
  expectPositive("Embedding", "output_dim", output_dim, at);
  setRules(embeddings_, options.embeddings_regularizer, options.embeddings_constraint);
}
void nn::Embedding::build(const Shape &) const {
  embeddings_.build({inputs_, outputs_}, options_.embeddings_initializer);
}
Array nn::Embedding::call(const Array &x) const {
  const LayerCall here(*this);
  if (kind(x.dtype()) != Kind::integer)
    here.refuse("expected integers, got " + std::string(short_name(x.dtype())));
  return take(embeddings_, x, 0);
}
void nn::Embedding::fields(Fields &f) { f("embeddings", embeddings_); }
