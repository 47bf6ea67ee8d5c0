//===- arrays.cpp - forms that NumPy's users write ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/control.h>
#include <tenon/dlpack.h>
#include <tenon/io.h>
#include <tenon/memory.h>
#include <tenon/ops.h>
#include <tenon/random.h>

#include <iostream>

using namespace tenon;

template <class... T>
void use(const T &...) {}

void sizes(const Array &x, long long n, size_t m, unsigned u, short s) {
  use(zeros({n}), zeros({m, u}), zeros({s}), zeros(3), zeros(n), zeros(std::vector<int>{2, 3}));
  use(zeros(std::vector<int64_t>{2}), zeros(std::vector<Dim>{n, m}), reshape(x, -1), reshape(x, {n, -1}));
  int a = x.dim(0);
  size_t b = x.dim(0);
  int64_t c = x.shape()[1];
  use(x.dim(b), x.dim(int64_t(0)), x.dim(0u), softmax(x, b), argmax(x, b), argmax(x, -1), concatenate({x, x}, b), x[b]);
  auto size = x.dim(1);
  Dim dim = x.dim(0), half = size / 2, rest = size % 2, inverse = 7 / size, of = Dim(7) / 2, twice = size * 2 + dim;
  for (int i = 0; i < x.dim(0); ++i)
    for (size_t k = 0; k < size; ++k)
      for (int64_t l = 0; l < dim; ++l)
        std::cout << x[i] << a << b << c << half << rest << inverse << of << twice;
  bool all = size == 3 && 3 == size && size == dim && dim == size && size == size && size != 4 && 4 > size &&
             size < 4 && size >= 1 && size <= m && u < size && size + 1 == 4 && 1 + size == 4 && size - 1 == 2 &&
             5 - size == 2 && 2 * size == 6 && dim / 2 == 1 && dim % 2 == 1;
  use(zeros({x.dim(0), 5}), zeros(x.dim(0)), zeros({x.dim(0) * 2, int(all)}),
      reshape(x, {x.shape()[0] * x.shape()[1]}));
  std::vector<float> elements(x.dim(0)), others(size_t(x.size()), 1.0f);
  std::cout << x.dtype() << x.dim(0) << x.shape() << double(x.dim(0)) << x / x.dim(0);
}

void shaping(const Array &x, size_t m) {
  use(expand_dims(x, 0), expand_dims(x, {0, -1}), squeeze(x), squeeze(x, m), flip(x, {0, 1}), roll(x, 1),
      roll(x, {1, 2}, {0, 1}));
  use(repeat(x, 2), repeat(x, {1, 2}, 0), repeat(x, std::vector<int>{1, 2}, m), tile(x, 2), tile(x, {2, 3}),
      stack({x, x}, -1));
  use(tensordot(x, x), tensordot(x, x, 1), tensordot(x, x, {0, 1}, {1, 0}), tensordot(x, x, 0, 1), concat({x, x}));
  use(linspace(0, 1), linspace(0, 1, 5, false), linspace(x, 1.0f, 5), eye(3), eye(m, 4, -1, i32), identity(x.dim(0)));
  use(pad_mode(x, 1, 1, PadMode::edge), pad_mode(x, {1, 0}, {0, 1}, PadMode::wrap), meshgrid({x, x}, GridIndexing::ij),
      diagonal(x), trace(x, 1));
  use(select({x < 0, x < 1}, {x, -x}), select({x < 0}, {x}, 0.5f), choose(x, {x, x}), compress({true, false}, x, 0));
  use(unravel_index(argmax(x), x.shape()), broadcast_shapes({{2, 1}, {3}}), trapezoid(x), trapezoid(x, none, 0.5, 0));
  use(interp(x, x, x), interp(x, x, x, 0, 1), gradient(x), cov(x), polyval({1, 2, 3}, x), segment_sum(x, {0, 1}, m));
  use(x.sum(), x.sum(0), x.sum({0, 1}, true), x.T(), x.mT(), x.reshape(-1).max(), x.astype(i32).mean(-1),
      x.transpose({1, 0}));
}

void lists() {
  Array a = {1, 4000000000LL}, b{1, 4000000000LL}, c = {1, 0.5f, 2.5, true}, d = {{1, 2LL}, {3, 4}};
  use(add(a, {1, 2LL}), add(b, {{1, 2LL}, {3, 4}}));
  c = c + d;
}

void logic(const Array &x, const Array &mask, bool flag) {
  Array outside = x < 0 || x > 1, inside = !outside, both = mask || !inside, with = mask || flag,
        and_too = mask && flag;
  if (any(both) || all(with))
    return;
  if (x[0] == 1 && !(x[1] == 2) && flag)
    return;
  if (flag && x[0] == 1)
    return;
  use(any(x, 0), all(x, {0, 1}, true), logical_or(mask, x), logical_not(and_too));
}

void axes(const Array &x, const std::vector<int> &chosen, size_t axis) {
  use(sum(x, chosen), sum(x, {}), sum(x, {}, true), sum(x, 0, true), sum(x, {0, 1}), sum(x, axis), sum(x, Ints{0, 1}));
  use(full_like(x, 2), full_like(x, 0.5, f64), zeros_like(x), ones_like(x, i32));
}

void random_numbers() {
  auto [first, second] = random::split(random::key(0));
  std::vector<Key> keys = random::split(first), more = random::split(second, 3);
  for (const Key &key : random::split(random::key(1)))
    use(random::normal(key, 3));
  use(random::uniform(keys[0], {3}, -1, 1), random::uniform(more[0], 3, 0.0, 2.0),
      random::uniform(first, {3}, f64, 0, 1));
}

void loops(const Array &x, int64_t n, const Array &bound) {
  auto add = [](const Array &i, const Array &carry) { return carry + i; };
  fori_loop(0, n, add, 0.0f), fori_loop(0, x.dim(0), add, 0.0f), fori_loop(0, bound, add, 0.0f);
}

void elements(const Array &x, const float *data, std::vector<double> numbers) {
  float sum = 0;
  for (float element : x.elements<float>())
    sum += element;
  std::span<const float> all = x.elements<float>(), again(x.elements<float>());
  const auto v = view<float, 2>(x);
  for (int i = 0; i < v.extent(0); ++i)
    for (size_t k = 0; k < x.dim(1); ++k)
      sum += v(i, k) + v.at(i, k);
  std::cout << sum << all.size() << again[0] << *x.elements<float>().begin() << v.stride(1) << v.data_handle();
#ifdef __cpp_multidimensional_subscript
  std::cout << v[0, 1];
#endif
  from_memory(data, f32, {2, 3}, [] {}), from_memory(data, f32, 6, [] {}, {.strides = {{2}}, .donated = true});
  from_memory(std::move(numbers), {2, 3});
}

void files(const Array &x) {
  save_npz("file", {{"x", x}, {"y", x + 1}}, {.compressed = true});
  save_safetensors("file", {{"x", x}}, {{"format", "pt"}}), save_safetensors("file", {{"x", x}});
  for (auto &[name, array] : load_npz("file"))
    std::cout << name << array;
  auto [arrays, metadata] = load_safetensors("file");
  Array y = arrays.at("x"), z = load_csv("file", {.delimiter = ';', .skip_rows = 1, .missing = "NA"});
  save_csv("file", y + z, {.header = {"a", "b"}});
  Array back = from_dlpack(to_dlpack(x)), copy = from_dlpack(to_dlpack(x, {.copy = true}));
  back = from_dlpack(to_dlpack_unversioned(x)) + metadata.size();
}
