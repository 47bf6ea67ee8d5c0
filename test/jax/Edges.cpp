//===- Edges.cpp - functions where derivatives are special, by JAX too -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinks, equal elements, norms of zero, singular matrices, equal eigenvalues, sizes 0 and 1.
//===----------------------------------------------------------------------===//
#include "Cases.h"

namespace tn = tenon;
namespace la = tenon::linalg;
using X = const Arrays &;
using tn::Reduction;

static tn::Array z(X x) { return tn::complex(x[0], x[1]); }

std::vector<Case> edgeCases() {
  return {
      {"edge relu", [](X x) { return Arrays{tn::relu(x[0]), tn::relu6(x[0]), tn::leaky_relu(x[0])}; }},
      {"edge elu", [](X x) { return Arrays{tn::elu(x[0]), tn::celu(x[0]), tn::selu(x[0])}; }},
      {"edge hard_tanh", [](X x) { return Arrays{tn::hard_tanh(x[0])}; }},
      {"edge hard_sigmoid", [](X x) { return Arrays{tn::hard_sigmoid(x[0]), tn::hard_swish(x[0])}; }},
      {"edge soft_sign", [](X x) { return Arrays{tn::soft_sign(x[0]), tn::abs(x[0])}; }},
      {"edge l1_loss", [](X x) { return Arrays{tn::l1_loss(x[0], x[1], {.reduction = Reduction::unreduced})}; }},
      {"edge huber_loss", [](X x) { return Arrays{tn::huber_loss(x[0], x[1], {.reduction = Reduction::unreduced})}; }},
      {"edge kl_div",
       [](X x) {
         return Arrays{tn::kl_div(x[0], tn::astype(tn::Array{0.0, 0.5, 0.5}, tn::f64), {.reduction = Reduction::sum})};
       }},
      {"edge max_pool2d", [](X x) { return Arrays{tn::max_pool2d(x[0], 2, {.strides = 1})}; }},
      {"edge reduce_window prod",
       [](X x) { return Arrays{tn::reduce_window(x[0], 3, {.reduction = tn::WindowReduction::prod})}; }},
      {"edge softmax", [](X x) { return Arrays{tn::softmax(x[0])}; }},
      {"edge logsumexp", [](X x) { return Arrays{tn::logsumexp(x[0], -1)}; }},
      {"edge layer_norm", [](X x) { return Arrays{tn::layer_norm(x[0], {-1}, 1.0, 0.0)}; }},
      {"edge vector_norm", [](X x) { return Arrays{tn::vector_norm(x[0])}; }},
      {"edge normalize", [](X x) { return Arrays{tn::normalize(x[0])}; }},
      {"edge cdist", [](X x) { return Arrays{tn::cdist(x[0], x[0])}; }},
      {"edge clip_by_norm", [](X x) { return Arrays{tn::clip_by_norm(x[0], 1, 1)}; }},
      {"edge grid_sample", [](X x) { return Arrays{tn::grid_sample(x[0], x[1], {.align_corners = true})}; }},
      {"edge conv2d", [](X x) { return Arrays{tn::conv2d(x[0], x[1])}; }},
      {"edge matmul", [](X x) { return Arrays{tn::matmul(x[0], x[1])}; }},
      {"edge fft", [](X x) { return Arrays{tn::fft::fft(z(x)), tn::fft::irfft(z(x), {.n = 1})}; }},
      {"edge irfft", [](X x) { return Arrays{tn::fft::irfft(z(x), {.n = 2}), tn::fft::hfft(z(x), {.n = 3})}; }},
      {"edge det", [](X x) { return Arrays{la::det(x[0])}; }},
      {"edge det of rank 1", [](X x) { return Arrays{la::det(x[0])}; }},
      {"edge slogdet", [](X x) { return Arrays{la::slogdet(x[0]).logabsdet}; }},
      {"edge solve", [](X x) { return Arrays{la::solve(x[0], x[1])}; }},
      {"edge cholesky", [](X x) { return Arrays{la::cholesky(x[0])}; }},
      {"edge pinv", [](X x) { return Arrays{la::pinv(x[0])}; }},
      {"edge lstsq", [](X x) { return Arrays{la::lstsq(x[0], x[1]).solution}; }},
      {"edge eigvalsh", [](X x) { return Arrays{la::eigvalsh(x[0])}; }},
      {"edge eigh",
       [](X x) {
         tn::EighResult r = la::eigh(x[0]);
         return Arrays{tn::matmul(r.eigenvectors * tn::sin(r.eigenvalues), tn::matrix_transpose(r.eigenvectors))};
       }},
      {"edge svdvals", [](X x) { return Arrays{la::svdvals(x[0])}; }},
      {"edge matrix_norm nuclear", [](X x) { return Arrays{tn::matrix_norm(x[0], false, tn::MatrixNorm::nuclear)}; }},
      {"edge qr", [](X x) { return Arrays{tn::abs(la::qr(x[0]).R)}; }},
      {"edge expm", [](X x) { return Arrays{la::expm(x[0])}; }},
  };
}
