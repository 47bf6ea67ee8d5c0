//===- Convolution.cpp - convolutions --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Convolution.h"

#include "lib/ops/composites/Floats.h"

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

Array detail::convolution(const Array &x, const Array &kernel, const Sliding &sliding, Dtype dtype, Location at) {
  return apply(OpCode::convolution, {x.value(), kernel.value()},
               Words(ConvolutionAttrs{sliding.strides, sliding.low, sliding.high, sliding.xDilation,
                                      sliding.windowDilation, dtype}),
               at);
}

using Axes = std::vector<int64_t>;

/// x with axis order[i] at place i.
static Array inOrder(const Array &x, const Axes &order) {
  return std::ranges::is_sorted(order) ? x : transpose(x, order);
}
/// 0, 1, ..., count - 1.
static Axes firstAxes(int count) {
  Axes axes(static_cast<size_t>(count));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}
/// The order that takes back what `order` did.
static Axes inverse(const Axes &order) {
  Axes back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return back;
}

namespace {
/// The operands of a convolution in one dtype, x with its channels last.
struct Operands {
  Array x, kernel;
  Dtype dtype;
  int spatial;
  int groups;
  Location at;

  /// The operands of a function over `spatial` axes.
  Operands(const Operand &x1, const Operand &x2, int spatial, int groups)
      : spatial(spatial), groups(groups), at(x1.location()) {
    std::tie(x, kernel) = toPair(x1, x2);
    dtype = x.dtype();
    if (const std::string problem = checkDtype(opInfo(OpCode::convolution), productDtype(dtype));
        !problem.empty() || kind(dtype) == Kind::boolean)
      refuse("expected numbers, got " + std::string(short_name(dtype)), at);
    if (groups < 1)
      refuse("expected groups >= 1, got " + std::to_string(groups), at);
  }
  Shape sizes() const { return Shape::of(x.shape().begin() + x.ndim() - 1 - spatial, spatial); }
  std::vector<int64_t> window() const {
    std::vector<int64_t> window;
    for (int i = 0; i < spatial; ++i) {
      const Dim size = kernel.shape()[i];
      if (!size.is_static())
        refuse("expected a kernel of known spatial sizes, got " + size.str() + " along its axis " + std::to_string(i),
               at);
      if (size.raw() < 1)
        refuse("expected a kernel with taps, got size 0 along its axis " + std::to_string(i), at);
      window.push_back(size.raw());
    }
    return window;
  }
  void expectRanks() const {
    if (kernel.ndim() != spatial + 2)
      refuse("expected a kernel of rank " + std::to_string(spatial + 2) + ", with " + std::to_string(spatial) +
                 (spatial == 1 ? " spatial axis" : " spatial axes") +
                 " and the channels of x and of the result, got rank " + std::to_string(kernel.ndim()),
             at);
  }

  /// x [batch..., spatial..., channels] with the kernel [spatial..., in, channels]: [batch..., spatial..., channels].
  Array convolve(const Sliding &sliding) const {
    const Shape all = x.shape();
    const Dim channels = all[x.ndim() - 1], in = kernel.shape()[spatial], out = kernel.shape()[spatial + 1];
    const auto part = [&](Dim size, const char *what) {
      const std::optional<Dim> one = exact_div(size, groups);
      if (!one)
        refuse("expected groups that divide the " + size.str() + " channels of " + what + ", got " +
                   std::to_string(groups),
               at);
      return *one;
    };
    const Dim inOfGroup = part(channels, "x"), outOfGroup = part(out, "the result");
    if (provably_equal(in, inOfGroup) != Always::yes)
      refuse("expected a kernel that takes " + inOfGroup.str() + (groups == 1 ? "" : " of the " + channels.str()) +
                 " channels, as x has" + (groups == 1 ? "" : " in each of " + std::to_string(groups) + " groups") +
                 ", got " + in.str(),
             at);
    const int before = x.ndim() - 1 - spatial;
    Dim batch = 1;
    for (int axis = 0; axis < before; ++axis)
      batch = computedSize([&] { return batch * all[axis]; }, at);
    Shape xShape{batch}, kernelShape;
    for (int i = 0; i < spatial; ++i) {
      xShape.push_back(all[before + i]);
      kernelShape.push_back(kernel.shape()[i]);
    }
    for (Dim size : {Dim(groups), inOfGroup})
      xShape.push_back(size);
    for (Dim size : {in, Dim(groups), outOfGroup})
      kernelShape.push_back(size);
    const Dtype wide = productDtype(dtype);
    const Array y = convolution(convert(reshape(x, xShape), wide, at), convert(reshape(kernel, kernelShape), wide, at),
                                sliding, wide, at);
    Shape result = Shape::of(all.begin(), before);
    for (int i = 0; i < spatial; ++i)
      result.push_back(y.shape()[i + 1]);
    result.push_back(out);
    return convert(reshape(y, result), dtype, at);
  }
};
} // namespace

/// The padding of x, whose elements are `xDilation` apart.
static LowHigh paddingOfDilated(const Operands &of, const Padding &padding, const Sliding &s) {
  Shape sizes;
  for (int i = 0; i < of.spatial; ++i) {
    const Dim size = of.sizes()[i];
    const int64_t dilation = s.xDilation[static_cast<size_t>(i)];
    sizes.push_back(dilation == 1 || isNone(size) ? size
                                                  : computedSize([&] { return (size - 1) * dilation + 1; }, of.at));
  }
  return paddingOf(padding, {sizes.begin(), sizes.size()}, of.window(), s.strides, s.windowDilation, of.at);
}

/// The order of axes that has the channels of x last, and back.
static Axes channelsLast(const Array &x, const Spatial &spatial) {
  Axes order = firstAxes(x.ndim());
  order.erase(order.begin() + spatial.channels);
  order.push_back(spatial.channels);
  return order;
}

static Array convNd(const char *name, int count, const Operand &x, const Operand &kernel, const Ints &strides,
                    const Padding &padding, const Ints &dilation, int groups, DataFormat format) {
  const Location at = x.location();
  DoorScope scope(name, at, {{"x", x}, {"kernel", kernel}});
  Operands of(x, kernel, count, groups);
  const Axes order = channelsLast(of.x, spatialOf(of.x, count, format, at));
  of.x = inOrder(of.x, order);
  of.expectRanks();
  Sliding s{numbersOf(strides, count, "strides", 1, at),
            {},
            {},
            Axes(static_cast<size_t>(count), 1),
            numbersOf(dilation, count, "dilations", 1, at)};
  LowHigh both = paddingOfDilated(of, padding, s);
  s.low = std::move(both.low);
  s.high = std::move(both.high);
  return inOrder(of.convolve(s), inverse(order));
}

Array detail::conv1d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                     const Ints &dilation, int groups, DataFormat data_format) {
  return convNd("conv1d", 1, x, kernel, strides, padding, dilation, groups, data_format);
}
Array detail::conv2d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                     const Ints &dilation, int groups, DataFormat data_format) {
  return convNd("conv2d", 2, x, kernel, strides, padding, dilation, groups, data_format);
}
Array detail::conv3d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                     const Ints &dilation, int groups, DataFormat data_format) {
  return convNd("conv3d", 3, x, kernel, strides, padding, dilation, groups, data_format);
}

//===----------------------------------------------------------------------===//
// Any order of axes
//===----------------------------------------------------------------------===//

namespace {
/// The letters of `layout`, in three parts.
struct Layout {
  std::string_view x, kernel, result;

  Layout(std::string_view text, int rank, Location at) {
    const size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string_view::npos || arrow == std::string_view::npos || arrow < comma)
      refuse("expected a layout such as \"NHWC,HWIO->NHWC\", got \"" + std::string(text) + "\"", at);
    x = text.substr(0, comma);
    kernel = text.substr(comma + 1, arrow - comma - 1);
    result = text.substr(arrow + 2);
    for (const auto &[part, what, own] :
         {std::tuple(x, "x", "NC"), {kernel, "the kernel", "IO"}, {result, "the result", "NC"}}) {
      if (part.size() != static_cast<size_t>(rank))
        refuse("expected " + std::to_string(rank) + " letters for the axes of " + what + " in the layout, got \"" +
                   std::string(part) + "\"",
               at);
      for (size_t i = 0; i < part.size(); ++i) {
        const bool isSpatial = std::string_view("NCIO").find(part[i]) == std::string_view::npos;
        if ((isSpatial ? x : std::string_view(own)).find(part[i]) == std::string_view::npos ||
            part.find(part[i], i + 1) != std::string_view::npos)
          refuse("expected " + std::string(1, own[0]) + ", " + std::string(1, own[1]) +
                     " and the letters of the spatial axes, each once, for " + what + " in the layout, got '" +
                     std::string(1, part[i]) + "' at character " +
                     std::to_string(static_cast<size_t>(part.data() - text.data()) + i),
                 at);
      }
    }
  }
  /// The spatial letters, in the order of x.
  std::string spatial() const {
    std::string letters;
    for (char letter : x)
      if (letter != 'N' && letter != 'C')
        letters += letter;
    return letters;
  }
  /// Where the letters stand in `part`.
  static Axes places(std::string_view part, const std::string &letters) {
    Axes places;
    for (char letter : letters)
      places.push_back(static_cast<int64_t>(part.find(letter)));
    return places;
  }
};
} // namespace

Array detail::conv_general(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                           const Ints &x_dilation, const Ints &dilation, int groups,
                           std::optional<std::string_view> layout) {
  const Location at = x.location();
  DoorScope scope("conv_general", at, {{"x", x}, {"kernel", kernel}});
  const Array given = toArray(x, OpCode::convolution);
  const int spatial = given.ndim() - 2;
  if (spatial < 0)
    refuse("expected an array of rank >= 2, with a batch and channels, got rank " + std::to_string(given.ndim()), at);
  Operands of(x, kernel, spatial, groups);
  of.expectRanks();
  Axes back;
  if (layout) {
    const Layout letters(*layout, spatial + 2, at);
    const std::string axes = letters.spatial();
    of.x = inOrder(of.x, Layout::places(letters.x, "N" + axes + "C"));
    of.kernel = inOrder(of.kernel, Layout::places(letters.kernel, axes + "IO"));
    back = inverse(Layout::places(letters.result, "N" + axes + "C"));
  }
  Sliding s{numbersOf(strides, spatial, "strides", 1, at),
            {},
            {},
            numbersOf(x_dilation, spatial, "dilations of x", 1, at),
            numbersOf(dilation, spatial, "dilations", 1, at)};
  LowHigh both = paddingOfDilated(of, padding, s);
  s.low = std::move(both.low);
  s.high = std::move(both.high);
  return inOrder(of.convolve(s), back);
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// The kernel of the convolution that is another one's transpose: reversed along the spatial axes, its channels
/// exchanged within each group.
static Array transposedKernel(const Array &kernel, int spatial, int groups, Location at) {
  Axes axes = firstAxes(spatial);
  const Array reversed = spatial ? flip(kernel, axes) : kernel;
  // [spatial..., out of a group, groups, in of a group] to [spatial..., in of a group, groups, out of a group].
  const Dim out = kernel.shape()[spatial], in = kernel.shape()[spatial + 1];
  const std::optional<Dim> inOfGroup = exact_div(in, groups);
  if (!inOfGroup)
    refuse("expected groups that divide the " + in.str() + " channels of x, got " + std::to_string(groups), at);
  Shape parts = Shape::of(kernel.shape().begin(), spatial), whole = parts;
  for (Dim size : {out, Dim(groups), *inOfGroup})
    parts.push_back(size);
  for (Dim size : {*inOfGroup, out * Dim(groups)})
    whole.push_back(size);
  for (int axis : {spatial + 2, spatial + 1, spatial})
    axes.push_back(axis);
  return reshape(transpose(reshape(reversed, parts), axes), whole);
}

static Array convTransposeNd(const char *name, int count, const Operand &x, const Operand &kernel, const Ints &strides,
                             const Padding &padding, const Ints &outputPadding, const Ints &dilation, int groups,
                             DataFormat format) {
  const Location at = x.location();
  DoorScope scope(name, at, {{"x", x}, {"kernel", kernel}});
  Operands of(x, kernel, count, groups);
  const Axes order = channelsLast(of.x, spatialOf(of.x, count, format, at));
  of.x = inOrder(of.x, order);
  of.expectRanks();
  const std::vector<int64_t> window = of.window(), steps = numbersOf(strides, count, "strides", 1, at);
  Sliding s{Axes(static_cast<size_t>(count), 1), {}, {}, steps, numbersOf(dilation, count, "dilations", 1, at)};
  if (padding.mode() && *padding.mode() != PaddingMode::valid && *padding.mode() != PaddingMode::same)
    refuse("expected the padding valid, same or numbers, got " +
               std::string(*padding.mode() == PaddingMode::causal ? "causal" : "same_lower"),
           at);
  const std::vector<int64_t> none(static_cast<size_t>(count), 0);
  std::vector<int64_t> more = none;
  if (outputPadding.given()) {
    const std::span<const int64_t> values = outputPadding.values();
    if (values.size() != 1 && values.size() != more.size())
      refuse("expected 1 or " + std::to_string(count) + " numbers as output_padding, got " +
                 std::to_string(values.size()),
             at);
    for (size_t i = 0; i < more.size(); ++i) {
      more[i] = values[values.size() == 1 ? 0 : i];
      if (more[i] < 0 || more[i] >= std::max(steps[i], s.windowDilation[i]))
        refuse("expected an output_padding of at least 0 and less than the stride or the dilation, got " +
                   std::to_string(more[i]) + " for the stride " + std::to_string(steps[i]),
               at);
    }
  }
  // What the convolution whose transpose this is adds to the result: its x.
  const Shape sizes = of.sizes();
  const LowHigh given = padding.mode()
                            ? LowHigh{none, none}
                            : paddingOf(padding, {sizes.begin(), sizes.size()}, window, steps, s.windowDilation, at);
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t reach = reachOf(window[i], s.windowDilation[i], at), stride = steps[i];
    int64_t low = given.low[i], high = given.high[i];
    if (padding.mode()) {
      const int64_t total = *padding.mode() == PaddingMode::same ? std::max<int64_t>(reach + 1 - stride, 0) : 0;
      low = total / 2;
      // A stride above the window: the result ends with places that no window meets.
      high = total - low - std::max<int64_t>(stride - reach - 1, 0);
    }
    s.low.push_back(reach - low);
    s.high.push_back(reach - high + more[i]);
  }
  of.kernel = transposedKernel(of.kernel, count, groups, at);
  return inOrder(of.convolve(s), inverse(order));
}

Array detail::conv_transpose1d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                               const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format) {
  return convTransposeNd("conv_transpose1d", 1, x, kernel, strides, padding, output_padding, dilation, groups,
                         data_format);
}
Array detail::conv_transpose2d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                               const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format) {
  return convTransposeNd("conv_transpose2d", 2, x, kernel, strides, padding, output_padding, dilation, groups,
                         data_format);
}
Array detail::conv_transpose3d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                               const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format) {
  return convTransposeNd("conv_transpose3d", 3, x, kernel, strides, padding, output_padding, dilation, groups,
                         data_format);
}

//===----------------------------------------------------------------------===//
// NumPy's convolve and correlate
//===----------------------------------------------------------------------===//

/// Which one of both sizes is at most as large as the other.
static bool isAtMost(Dim a, Dim b, Location at) {
  if (provably_less_equal(a, b) == Always::yes)
    return true;
  if (provably_less_equal(b, a) == Always::yes)
    return false;
  refuse("expected sizes of which it is known which one is smaller, got " + a.str() + " and " + b.str(), at);
}

/// The sums of x1[n + m] * kernel[m]; `isReversed`: kernel is reversed later, as convolve has it.
static Array correlated(const char *name, const Operand &x1, const Operand &x2, ConvolutionMode mode, bool isReversed) {
  const Location at = x1.location();
  DoorScope scope(name, at, {{"x1", x1}, {"x2", x2}});
  expectMode(name, "ConvolutionMode", mode, at);
  const auto [a, b] = toPair(x1, x2);
  const int rank = a.ndim();
  if (rank < 1 || b.ndim() != rank)
    refuse("expected arrays of one rank >= 1, got ranks " + std::to_string(rank) + " and " + std::to_string(b.ndim()),
           at);
  Shape shape1{1}, shape2;
  Sliding s{Axes(static_cast<size_t>(rank), 1),
            {},
            {},
            Axes(static_cast<size_t>(rank), 1),
            Axes(static_cast<size_t>(rank), 1)};
  for (int axis = 0; axis < rank; ++axis) {
    const Dim n1 = a.shape()[axis], n2 = b.shape()[axis];
    if (isNone(n1) || isNone(n2))
      refuse("expected arrays with elements, got " + a.shape().str() + " and " + b.shape().str(), at);
    if (!n2.is_static())
      refuse("expected x2 of known sizes, got " + n2.str() + " along axis " + std::to_string(axis), at);
    int64_t first = 0, low = n2.raw() - 1, high = low; // of the full result
    if (mode != ConvolutionMode::full) {
      // The shorter array overlaps the longer one by `reach` places more at each end of the full result.
      const bool isSecondShorter = isAtMost(n2, n1, at);
      const Dim shorter = isSecondShorter ? n2 : n1;
      const int64_t reach = shorter.raw() - 1;
      const bool isSame = mode == ConvolutionMode::same;
      // NumPy's correlate reverses the result where it exchanges the arrays.
      first = !isSame ? reach : isReversed || isSecondShorter ? reach / 2 : reach - reach / 2;
      const int64_t behind = isSame ? reach - first : reach;
      low -= first;
      high -= behind;
    }
    s.low.push_back(low);
    s.high.push_back(high);
    shape1.push_back(n1);
    shape2.push_back(n2);
  }
  shape1.push_back(1);
  for (int i = 0; i < 2; ++i)
    shape2.push_back(1);
  Operands of(reshape(a, shape1),
              reshape(isReversed                         ? flip(b)
                      : kind(b.dtype()) == Kind::complex ? conj(b)
                                                         : b,
                      shape2),
              rank, 1);
  of.at = at;
  const Array y = of.convolve(s);
  return reshape(y, Shape::of(y.shape().begin() + 1, rank));
}

Array tenon::convolve(const Operand &x1, const Operand &x2, ConvolutionMode mode) {
  return correlated("convolve", x1, x2, mode, true);
}
Array tenon::correlate(const Operand &x1, const Operand &x2, ConvolutionMode mode) {
  return correlated("correlate", x1, x2, mode, false);
}
