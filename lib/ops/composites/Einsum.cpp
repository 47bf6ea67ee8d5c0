//===- Einsum.cpp - sums of products by labels ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each axis has a label. Arrays are multiplied pairwise: labels of both that the rest needs are
// a batch of dot_general, labels of both that nothing else needs are summed over.
//===----------------------------------------------------------------------===//
#include "lib/base/Describe.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <bit>
#include <map>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// A letter; or below 0 an axis that `...` stands for, the last of them -1.
using Label = int;
using Labels = std::vector<Label>;

/// An array, with a label for each axis.
struct Labelled {
  Array array;
  Labels labels;
};

bool has(const Labels &labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }
int64_t placeOf(const Labels &labels, Label label) { return std::ranges::find(labels, label) - labels.begin(); }

/// What an equation says of one array, or of the result.
struct Term {
  Labels letters;
  /// How many letters stand before `...`; none: it has no `...`.
  std::optional<size_t> ellipsis;
};

class Equation {
public:
  Equation(std::string_view text, Location at) : text_(text), at_(at) {
    inputs_.emplace_back();
    Term *term = &inputs_.back();
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == ' ')
        continue;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        term->letters.push_back(c);
      } else if (text.substr(i, 3) == "...") {
        if (term->ellipsis)
          refuseAt(i, "expected one ... for an array");
        term->ellipsis = term->letters.size();
        i += 2;
      } else if (c == ',' && !output_) {
        term = &inputs_.emplace_back();
      } else if (text.substr(i, 2) == "->" && !output_) {
        term = &output_.emplace();
        ++i;
      } else {
        refuseAt(i, "expected a letter, ..., a comma or ->");
      }
    }
  }

  const std::vector<Term> &inputs() const { return inputs_; }
  const std::optional<Term> &output() const { return output_; }
  [[noreturn]] void refuseThis(const std::string &sentence) const {
    refuse(sentence + " in \"" + printable(text_) + "\"", at_);
  }

private:
  /// Other bytes than those of printable ASCII as `\x00`.
  static std::string printable(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string shown;
    for (const char c : text)
      if (c >= ' ' && c <= '~')
        shown += c;
      else
        shown += {'\\', 'x', digits[static_cast<unsigned char>(c) / 16], digits[static_cast<unsigned char>(c) % 16]};
    return shown;
  }
  [[noreturn]] void refuseAt(size_t place, const std::string &sentence) const {
    refuse(sentence + ", got '" + printable(text_.substr(place, 1)) + "' as character " + std::to_string(place + 1) +
               " of \"" + printable(text_) + "\"",
           at_);
  }

  std::string_view text_;
  Location at_;
  std::vector<Term> inputs_;
  std::optional<Term> output_;
};

/// The labels of an array's axes, or of the result's where `covered` axes are behind its `...`.
Labels labelsOf(const Term &term, int covered) {
  Labels labels = term.letters;
  if (term.ellipsis)
    for (int i = covered; i > 0; --i)
      labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(*term.ellipsis) + covered - i, -i);
  return labels;
}

/// A size that the order of `count` arrays depends on.
int64_t knownSize(Dim size, size_t count, Location at) {
  try {
    return size.value(at);
  } catch (const Error &) {
    refuse("the order of " + std::to_string(count) + " arrays depends on their sizes, and size " + size.str() +
               " is symbolic; multiply two at a time",
           at);
  }
}

class Contraction {
public:
  Contraction(std::vector<Labelled> arrays, Labels output, Dtype dtype, Location at)
      : arrays_(std::move(arrays)), output_(std::move(output)), given_(arrays_[0].array.dtype()), wanted_(dtype),
        wide_(is_narrow(given_) || given_ != dtype ? computedDtype(given_, dtype) : given_), at_(at) {
    if (is_narrow(wide_))
      wide_ = Dtype::f32;
  }

  /// The sum over all labels that the output lacks. Narrow floats are multiplied and summed in f32, and rounded once.
  Array run() {
    while (arrays_.size() > 1) {
      const auto [first, second] = arrays_.size() == 2 ? std::pair<size_t, size_t>(0, 1) : nextPair();
      Labelled right = std::move(arrays_[second]), left = std::move(arrays_[first]);
      arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(second));
      arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(first));
      arrays_.push_back(multiplied(std::move(left), std::move(right)));
    }
    Labelled last = std::move(arrays_[0]);
    arrays_.clear();
    const Labelled all = summed(std::move(last), {});
    std::vector<int64_t> order;
    for (Label label : output_)
      order.push_back(placeOf(all.labels, label));
    return convert(std::ranges::is_sorted(order) ? all.array : transpose(all.array, order), wanted_, at_);
  }

private:
  /// Whether the output or an array that is still to be multiplied has the label.
  bool isKept(Label label) const {
    return has(output_, label) ||
           std::ranges::any_of(arrays_, [&](const Labelled &one) { return has(one.labels, label); });
  }

  /// x, summed over the labels that neither `other` has nor the rest.
  Labelled summed(Labelled x, const Labels &other) const {
    std::vector<int64_t> axes;
    Labels left;
    for (size_t i = 0; i < x.labels.size(); ++i) {
      const Label label = x.labels[i];
      if (has(other, label) || isKept(label))
        left.push_back(label);
      else
        axes.push_back(static_cast<int64_t>(i));
    }
    if (axes.empty())
      return x;
    return {convert(sum(convert(x.array, productDtype(wide_), at_), axes), wide_, at_), std::move(left)};
  }

  Labelled multiplied(Labelled left, Labelled right) const {
    left = summed(std::move(left), right.labels);
    right = summed(std::move(right), left.labels);
    if (left.array.dtype() != right.array.dtype()) {
      left.array = convert(left.array, wide_, at_);
      right.array = convert(right.array, wide_, at_);
    }
    Labels batch, inner, ofLeft, ofRight;
    for (Label label : left.labels)
      (!has(right.labels, label) ? ofLeft : isKept(label) ? batch : inner).push_back(label);
    for (Label label : right.labels)
      if (!has(left.labels, label))
        ofRight.push_back(label);
    if (inner.empty())
      return product(left, right, batch, ofLeft, ofRight);
    // In the order of the output, if the other way round gives it.
    const auto joined = [&](const Labels &a, const Labels &b) {
      Labels all = batch;
      all.insert(all.end(), a.begin(), a.end());
      all.insert(all.end(), b.begin(), b.end());
      return all;
    };
    if (arrays_.empty() && joined(ofRight, ofLeft) == output_ && joined(ofLeft, ofRight) != output_) {
      std::swap(left, right);
      std::swap(ofLeft, ofRight);
    }
    const auto places = [](const Labels &some, const Labels &all) {
      std::vector<int64_t> axes;
      for (Label label : some)
        axes.push_back(placeOf(all, label));
      return axes;
    };
    const std::vector<int64_t> axes1 = places(inner, left.labels), axes2 = places(inner, right.labels),
                               batch1 = places(batch, left.labels), batch2 = places(batch, right.labels);
    const DotAxes axes{axes1, axes2, batch1, batch2};
    const bool isLast = arrays_.empty() && left.array.dtype() == given_;
    return {dotOf(left.array, right.array, axes, at_, isLast ? wanted_ : wide_), joined(ofLeft, ofRight)};
  }

  /// No label is summed over: the products of elements, over the labels of the batch, then of each array.
  Labelled product(const Labelled &left, const Labelled &right, const Labels &batch, const Labels &ofLeft,
                   const Labels &ofRight) const {
    Labels labels = batch;
    labels.insert(labels.end(), ofLeft.begin(), ofLeft.end());
    labels.insert(labels.end(), ofRight.begin(), ofRight.end());
    const auto inPlace = [&](const Labelled &x) {
      std::vector<int64_t> order;
      Shape shape;
      for (Label label : labels)
        if (has(x.labels, label)) {
          order.push_back(placeOf(x.labels, label));
          shape.push_back(x.array.shape()[static_cast<int>(order.back())], at_);
        } else {
          shape.push_back(1, at_);
        }
      return reshape(std::ranges::is_sorted(order) ? x.array : transpose(x.array, order), shape);
    };
    Array a = inPlace(left), b = inPlace(right);
    // The product of two is rounded by the multiplication itself.
    if (!arrays_.empty() || given_ != wanted_ || is_storage(given_)) {
      a = convert(a, wide_, at_);
      b = convert(b, wide_, at_);
    }
    return {multiply(a, b), std::move(labels)};
  }

  //===--- The order of three arrays and more ---------------------------------------===//

  /// Multiplications, and the most axes of an array between: of equal costs the least, since sizes may be 1 or 0.
  using Cost = std::pair<double, int>;

  /// Sizes as floating-point numbers: only costs are made of them.
  double sizeOf(uint64_t labels) const {
    double size = 1;
    for (; labels; labels &= labels - 1)
      size *= sizes_[static_cast<size_t>(std::countr_zero(labels))];
    return size;
  }

  /// Numbers the labels and asks for their sizes.
  std::vector<uint64_t> numbered() {
    std::map<Label, size_t> numbers;
    sizes_.clear();
    std::vector<uint64_t> sets;
    for (const Labelled &one : arrays_) {
      uint64_t set = 0;
      for (size_t i = 0; i < one.labels.size(); ++i) {
        const auto [place, isNew] = numbers.emplace(one.labels[i], numbers.size());
        if (isNew)
          sizes_.push_back(static_cast<double>(knownSize(one.array.shape()[static_cast<int>(i)], arrays_.size(), at_)));
        set |= uint64_t(1) << (place->second % 64);
      }
      sets.push_back(set);
    }
    if (sizes_.size() > 64)
      refuse("expected at most 64 labels of three arrays or more, got " + std::to_string(sizes_.size()), at_);
    kept_ = 0;
    for (Label label : output_)
      kept_ |= uint64_t(1) << (numbers.at(label) % 64);
    return sets;
  }

  /// The two arrays to multiply first: of the cheapest order of all, or the cheapest two.
  std::pair<size_t, size_t> nextPair() {
    const std::vector<uint64_t> sets = numbered();
    if (sets.size() > 8)
      return greedyPair(sets);
    const size_t all = (size_t(1) << sets.size()) - 1;
    // By set of arrays: the labels of their product, its cost, and the part that is its left factor.
    std::vector<uint64_t> labels(all + 1);
    std::vector<Cost> cost(all + 1);
    std::vector<size_t> part(all + 1);
    for (size_t some = 1; some <= all; ++some) {
      uint64_t within = 0, without = kept_;
      for (size_t i = 0; i < sets.size(); ++i)
        (some >> i & 1 ? within : without) |= sets[i];
      if (std::has_single_bit(some)) {
        labels[some] = within;
        continue;
      }
      labels[some] = within & without;
      bool isFirst = true;
      // Each cut once: the lowest array is in the left part.
      for (size_t left = (some - 1) & some; left; left = (left - 1) & some) {
        if (!(left & some & -some))
          continue;
        const size_t right = some & ~left;
        const Cost whole = {cost[left].first + cost[right].first + sizeOf(labels[left] | labels[right]),
                            std::max({cost[left].second, cost[right].second, std::popcount(labels[some])})};
        if (isFirst || whole < cost[some])
          cost[some] = whole, part[some] = left, isFirst = false;
      }
    }
    size_t some = all;
    while (std::popcount(some) > 2)
      some = std::popcount(part[some]) > 1 ? part[some] : some & ~part[some];
    return {static_cast<size_t>(std::countr_zero(some)), static_cast<size_t>(std::bit_width(some) - 1)};
  }

  std::pair<size_t, size_t> greedyPair(const std::vector<uint64_t> &sets) const {
    std::pair<size_t, size_t> best{0, 1};
    Cost least{};
    bool isFirst = true;
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = i + 1; j < sets.size(); ++j) {
        uint64_t without = kept_;
        for (size_t other = 0; other < sets.size(); ++other)
          if (other != i && other != j)
            without |= sets[other];
        const uint64_t both = sets[i] | sets[j];
        const Cost score{sizeOf(both), std::popcount(both & without)};
        if (isFirst || score < least)
          best = {i, j}, least = score, isFirst = false;
      }
    return best;
  }

  std::vector<Labelled> arrays_;
  const Labels output_;
  /// The dtypes of the arrays and of the result, and that of what is computed on the way.
  const Dtype given_, wanted_;
  Dtype wide_;
  const Location at_;
  std::vector<double> sizes_;
  uint64_t kept_ = 0;
};

/// x without the axes that a label has twice: their diagonal stands at the end.
Labelled withoutRepeats(Labelled x, const Equation &equation) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = i + 1; j < x.labels.size(); ++j) {
      if (x.labels[i] != x.labels[j])
        continue;
      const Label label = x.labels[i];
      const Dim size = x.array.shape()[static_cast<int>(i)], other = x.array.shape()[static_cast<int>(j)];
      if (provably_equal(size, other) != Always::yes)
        equation.refuseThis("expected axes of one size for label '" + std::string(1, static_cast<char>(label)) +
                            "', got " + size.str() + " and " + other.str());
      x.array = diagonal(x.array, 0, static_cast<int64_t>(i), static_cast<int64_t>(j));
      x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(j));
      x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(i));
      x.labels.push_back(label);
      return withoutRepeats(std::move(x), equation);
    }
  return x;
}

/// Compares the sizes of each label; axes of size 1 beside others go.
void matchSizes(std::vector<Labelled> &arrays, const Equation &equation, Location at) {
  std::map<Label, Dim> sizes;
  for (const Labelled &one : arrays)
    for (size_t i = 0; i < one.labels.size(); ++i) {
      const Dim size = one.array.shape()[static_cast<int>(i)];
      Dim &known = sizes.emplace(one.labels[i], size).first->second;
      if (provably_equal(known, 1) == Always::yes)
        known = size;
      else if (provably_equal(size, 1) != Always::yes && provably_equal(known, size) != Always::yes)
        equation.refuseThis("expected one size for " +
                            (one.labels[i] < 0 ? "each axis of ..."
                                               : "label '" + std::string(1, static_cast<char>(one.labels[i])) + "'") +
                            ", got " + known.str() + " and " + size.str());
    }
  for (Labelled &one : arrays) {
    Shape shape;
    Labels left;
    for (size_t i = 0; i < one.labels.size(); ++i) {
      const Dim size = one.array.shape()[static_cast<int>(i)];
      if (provably_equal(size, 1) == Always::yes && provably_equal(sizes.at(one.labels[i]), 1) != Always::yes)
        continue;
      shape.push_back(size, at);
      left.push_back(one.labels[i]);
    }
    if (left.size() != one.labels.size())
      one = {reshape(one.array, shape), std::move(left)};
  }
}

/// Zeros, where a label that is summed over has size 0: no factor of the empty sum counts, not even infinity.
std::optional<Array> sumOfNone(const std::vector<Labelled> &arrays, const Labels &output, Dtype dtype, Location at) {
  bool isNone = false;
  std::map<Label, Dim> sizes;
  for (const Labelled &one : arrays)
    for (size_t i = 0; i < one.labels.size(); ++i) {
      const Dim size = one.array.shape()[static_cast<int>(i)];
      sizes.emplace(one.labels[i], size);
      isNone |= detail::isNone(size) && !has(output, one.labels[i]);
    }
  if (!isNone)
    return std::nullopt;
  Shape shape;
  for (Label label : output)
    shape.push_back(sizes.at(label), at);
  return zeros(shape, dtype, arrays[0].array.device(), at);
}

Array einsumOf(std::string_view text, std::vector<Array> arrays, std::optional<Dtype> dtype, Location at) {
  const Equation equation(text, at);
  if (equation.inputs().size() != arrays.size())
    equation.refuseThis("expected as many arrays as the equation has, got " + std::to_string(arrays.size()) +
                        " for the " + std::to_string(equation.inputs().size()));
  std::vector<Labelled> labelled;
  int most = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Term &term = equation.inputs()[i];
    const int named = static_cast<int>(term.letters.size()), rank = arrays[i].ndim();
    if (term.ellipsis ? rank < named : rank != named)
      equation.refuseThis("expected an array of rank " + std::to_string(named) + (term.ellipsis ? " or more" : "") +
                          " as xs[" + std::to_string(i) + "], got " + describe(arrays[i].dtype(), arrays[i].shape()));
    most = std::max(most, rank - named);
    labelled.push_back(withoutRepeats({arrays[i], labelsOf(term, rank - named)}, equation));
  }
  Labels output;
  if (equation.output()) {
    output = labelsOf(*equation.output(), most);
    for (size_t i = 0; i < output.size(); ++i) {
      if (output[i] < 0)
        continue;
      const std::string name = "label '" + std::string(1, static_cast<char>(output[i])) + "'";
      if (std::ranges::count(output, output[i]) > 1)
        equation.refuseThis("expected each label once behind ->, got " + name + " again");
      if (std::ranges::none_of(labelled, [&](const Labelled &one) { return has(one.labels, output[i]); }))
        equation.refuseThis("expected labels of the arrays behind ->, got " + name);
    }
    if (!equation.output()->ellipsis && most > 0)
      equation.refuseThis("expected ... behind ->, as an array has axes for it");
  } else {
    for (int i = most; i > 0; --i)
      output.push_back(-i);
    std::map<Label, int> counts;
    for (const Term &term : equation.inputs())
      for (Label label : term.letters)
        ++counts[label];
    for (const auto &[label, count] : counts)
      if (count == 1)
        output.push_back(label);
  }
  matchSizes(labelled, equation, at);
  const Dtype wanted = dtype.value_or(arrays[0].dtype());
  if (std::optional<Array> none = sumOfNone(labelled, output, wanted, at))
    return *none;
  return Contraction(std::move(labelled), std::move(output), wanted, at).run();
}

/// A product of matrices in the cheapest order; a vector may be at either end.
class Chain {
public:
  /// Matrix i has `sizes[i]` rows, and `sizes[i + 1]` columns.
  Chain(const std::vector<Array> &arrays, const std::vector<Dim> &sizes, Location at) : arrays_(arrays), at_(at) {
    const size_t count = arrays.size();
    cuts_.assign(count + 1, std::vector<size_t>(count + 1));
    if (count < 3)
      return;
    std::vector<double> known;
    for (Dim size : sizes)
      known.push_back(static_cast<double>(knownSize(size, count, at)));
    std::vector<std::vector<double>> costs(count + 1, std::vector<double>(count + 1));
    for (size_t length = 2; length <= count; ++length)
      for (size_t first = 0; first + length <= count; ++first) {
        const size_t end = first + length;
        for (size_t cut = first + 1; cut < end; ++cut) {
          const double cost = costs[first][cut] + costs[cut][end] + known[first] * known[cut] * known[end];
          if (cut == first + 1 || cost < costs[first][end])
            costs[first][end] = cost, cuts_[first][end] = cut;
        }
      }
  }

  Array product() const { return convert(product(0, arrays_.size()), arrays_[0].dtype(), at_); }

private:
  /// Of matrices [first, end). Products of narrow floats are f32.
  Array product(size_t first, size_t end) const {
    if (end - first == 1)
      return arrays_[first];
    const size_t cut = end - first == 2 ? first + 1 : cuts_[first][end];
    Array left = product(first, cut), right = product(cut, end);
    const int64_t last = left.ndim() - 1, front = 0;
    const DotAxes axes{{&last, 1}, {&front, 1}};
    if (!is_narrow(arrays_[0].dtype()))
      return dotOf(left, right, axes, at_);
    if (left.dtype() != right.dtype()) {
      left = convert(left, Dtype::f32, at_);
      right = convert(right, Dtype::f32, at_);
    }
    return dotGeneral(left, right, axes, Dtype::f32, at_);
  }

  const std::vector<Array> &arrays_;
  Location at_;
  std::vector<std::vector<size_t>> cuts_;
};

} // namespace

Array tenon::einsum(std::string_view equation, const Arrays &xs, std::optional<Dtype> dtype, Location at) {
  DoorScope scope("einsum", at, {{"xs", xs}});
  return einsumOf(equation, toOneDtype(xs, at), dtype, at);
}

/// A number takes the dtype of the arrays beside it, as in arithmetic.
static Array einsumOfOperands(std::string_view equation, std::initializer_list<const Operand *> xs,
                              std::optional<Dtype> wanted) {
  const Location at = (*xs.begin())->location();
  std::optional<Dtype> dtype;
  Device device = Device::cpu;
  for (const Operand *x : xs)
    if (const Value *value = x->value()) {
      dtype = dtype ? promote(*dtype, value->dtype()) : value->dtype();
      device = value->device();
    }
  std::vector<Array> arrays;
  for (const Operand *x : xs) {
    DoorScope scope("einsum", at);
    const bool isBeside = x->is_scalar() && dtype && x->scalar().kind() <= kind(*dtype);
    arrays.push_back(toArray(*x, OpCode::dot_general, isBeside ? dtype : std::nullopt, device));
  }
  return einsum(equation, arrays, wanted, at);
}

Array tenon::einsum(std::string_view equation, const Operand &x1, std::optional<Dtype> dtype) {
  return einsumOfOperands(equation, {&x1}, dtype);
}
Array tenon::einsum(std::string_view equation, const Operand &x1, const Operand &x2, std::optional<Dtype> dtype) {
  return einsumOfOperands(equation, {&x1, &x2}, dtype);
}
Array tenon::einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                    std::optional<Dtype> dtype) {
  return einsumOfOperands(equation, {&x1, &x2, &x3}, dtype);
}
Array tenon::einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                    const Operand &x4, std::optional<Dtype> dtype) {
  return einsumOfOperands(equation, {&x1, &x2, &x3, &x4}, dtype);
}

Array tenon::multi_dot(const Arrays &xs, Location at) {
  DoorScope scope("multi_dot", at, {{"xs", xs}});
  const std::vector<Array> arrays = toOneDtype(xs, at);
  if (arrays.size() < 2)
    refuse("expected at least two arrays, got 1", at);
  const size_t count = arrays.size();
  std::vector<Dim> sizes{arrays[0].ndim() == 2 ? arrays[0].shape()[0] : Dim(1)};
  for (size_t i = 0; i < count; ++i) {
    const Array &x = arrays[i];
    const bool mayBeVector = i == 0 || i + 1 == count;
    if (x.ndim() != 2 && !(mayBeVector && x.ndim() == 1))
      refuse(std::string("expected a matrix") + (mayBeVector ? " or a vector" : "") + " as xs[" + std::to_string(i) +
                 "], got " + describe(x.dtype(), x.shape()),
             at);
    if (i > 0 && provably_equal(arrays[i - 1].shape()[-1], x.shape()[0]) != Always::yes)
      refuse("inner dimensions must match, got " + arrays[i - 1].shape()[-1].str() + " of xs[" + std::to_string(i - 1) +
                 "] and " + x.shape()[0].str() + " of xs[" + std::to_string(i) + "]",
             at);
    sizes.push_back(x.ndim() == 2 || i == 0 ? x.shape()[-1] : Dim(1));
  }
  return Chain(arrays, sizes, at).product();
}
