//===- 14_contractions.cpp - lesson 14: products of arrays ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 14_contractions.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cmath>
#include <iostream>

namespace tn = tenon;

// Attention, as two contractions. Letters: b batch, h head, q query, k key, d width.
static tn::Array attention(const tn::Array &q, const tn::Array &k, const tn::Array &v) {
  const int width = q.dim(-1);
  tn::Array scores = tn::einsum("bhqd,bhkd->bhqk", q, k) / std::sqrt(width);
  return tn::einsum("bhqk,bhkd->bhqd", tn::softmax(scores), v);
}

static const char *yes(const tn::Array &truth) { return truth ? "yes" : "no"; }

int main() {
  // matmul multiplies matrices. A vector on the left is a row, on the right a column.
  tn::Array a = {{1.0f, 2.0f}, {3.0f, 4.0f}}, v = {10.0f, 1.0f};
  std::cout << tn::matmul(a, a) << "\n" << tn::matmul(a, v) << " " << tn::matmul(v, a) << "\n";
  // Leading axes are a batch and broadcast.
  std::cout << tn::matmul(tn::ones({5, 1, 2, 3}), tn::ones({4, 3, 7})).shape() << "\n\n";

  // einsum names each axis by a letter. Axes with one name are paired, and letters that do
  // not appear after the arrow are summed.
  std::cout << "matrix times vector  " << tn::einsum("ij,j->i", a, v) << "\n";
  std::cout << "sums of columns      " << tn::einsum("ij->j", a) << "\n";
  std::cout << "diagonal             " << tn::einsum("ii->i", a) << "\n";
  std::cout << "trace                " << tn::einsum("ii->", a) << "\n";
  std::cout << "v a v                " << tn::einsum("i,ij,j->", v, a, v) << "\n";
  std::cout << "outer product        " << tn::einsum("i,j->ij", v, v) << "\n";
  // `...` stands for all remaining axes.
  std::cout << "transposed matrices  " << tn::einsum("...ij->...ji", tn::ones({5, 4, 2, 3})).shape() << "\n\n";

  // tensordot contracts axes by their numbers: here rows and columns of a with those of b.
  tn::Array b = tn::reshape(tn::arange(12.0), {2, 2, 3});
  std::cout << tn::tensordot(a, b, {0, 1}, {0, 1}) << "\n" << tn::einsum("ij,ijk->k", a, b) << "\n\n";

  // Three and more arrays are multiplied in the cheapest order. x (y z) takes 100 * 100 * 1 + 100 * 100 * 1
  // multiplications, (x y) z would take 100 * 100 * 100 + 100 * 100 * 1.
  auto product = tn::jit(
      [](const tn::Array &x, const tn::Array &y, const tn::Array &z) { return tn::einsum("ij,jk,kl->il", x, y, z); });
  tn::Array square = tn::ones({100, 100}), column = tn::ones({100, 1});
  std::cout << product.lower(square, square, column).trace() << "\n";

  // Attention by hand, and the function, which never stores the full matrix of scores.
  auto random = [](uint64_t seed, const tn::Shape &shape) { return tn::random::normal(tn::random::key(seed), shape); };
  tn::Array q = random(1, {4, 2, 6, 8}), k = random(2, {4, 2, 6, 8}), values = random(3, {4, 2, 6, 8});
  tn::Array y = tn::scaled_dot_product_attention(q, k, values);
  std::cout << y.shape() << ", close to the two einsums: " << yes(tn::all(tn::abs(attention(q, k, values) - y) < 1e-6))
            << "\n";
  // With `causal` query i sees only the keys 0 to i, so the first one sees only the first value.
  tn::Array causal = tn::scaled_dot_product_attention(q, k, values, {.causal = true});
  auto first = [](const tn::Array &x) { return x[{tn::ellipsis, 0, tn::_}]; };
  std::cout << "causal, the first result is the first value: " << yes(tn::allclose(first(causal), first(values)))
            << "\n\n";

  // A promise: a row of a result never depends on the other rows of its batch. One row alone, a part of
  // the batch and the whole batch give the same bits, eager and compiled. (In NumPy and JAX the last bits
  // often differ, because another shape takes another kernel.)
  auto layer = [](const tn::Array &x, const tn::Array &w) { return tn::relu(tn::matmul(x, w)); };
  auto compiled = tn::jit(layer);
  tn::Array x = random(4, {100, 300}), w = random(5, {300, 50});
  tn::Array all = layer(x, w);
  auto rows = [](const tn::Array &x, int start, int stop) { return x[{tn::slice(start, stop)}]; };
  std::cout << "the same bits as the whole batch:\n";
  std::cout << "  one row        " << yes(tn::array_equal(layer(rows(x, 7, 8), w), rows(all, 7, 8))) << "\n";
  std::cout << "  ten, compiled  " << yes(tn::array_equal(compiled(rows(x, 0, 10), w), rows(all, 0, 10))) << "\n";
  std::cout << "  vmap of rows   " << yes(tn::array_equal(tn::vmap(layer, {.in_axes = {0, tn::none}})(x, w), all))
            << "\n";
  std::cout << "  attention      "
            << yes(tn::array_equal(tn::scaled_dot_product_attention(q[2], k[2], values[2]), y[2])) << "\n\n";

  // Contractions have derivatives. Of x a x the gradient is (a + a^T) x.
  auto form = [&](const tn::Array &x) { return tn::einsum("i,ij,j->", x, a, x); };
  std::cout << tn::grad(form)(v) << "\n" << tn::matvec(a + tn::matrix_transpose(a), v) << "\n\n";

  // Sizes that do not fit are errors.
  try {
    (void)tn::einsum("ij,jk->ik", a, tn::ones({3, 2}));
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n";
  }
}
