//===- must_fail_linalg_test.cpp - matrices that do not fit -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_movement_test.cpp, for linear algebra.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f3 = zeros({3}), f23 = zeros({2, 3}), f33 = zeros({3, 3}), f32 = zeros({3, 2});
  Array h33 = astype(zeros({3, 3}), bf16), i3 = astype(zeros({3}), Dtype::i32), f = 1.0f;
};

const Case<Inputs> cases[] = {
    {"cholesky_rank", [](const Inputs &in) { (void)linalg::cholesky(in.f3); }, R"(
cholesky: expected an array of rank 2 or more, got f32[3]
  x: f32[3] @f3
  at here)"},
    {"cholesky_square", [](const Inputs &in) { (void)linalg::cholesky(in.f23); }, R"(
cholesky: expected square matrices, got f32[2, 3]
  x: f32[2, 3] @f23
  at here)"},
    {"inv_narrow", [](const Inputs &in) { (void)linalg::inv(in.h33); }, R"(
inv: expected a dtype among f32, f64, c64, c128, got bf16
  x: bf16[3, 3] @h33
  at here)"},
    {"solve_rows", [](const Inputs &in) { (void)linalg::solve(in.f33, in.f23); }, R"(
solve: expected b with as many rows as a has, 3, got f32[2, 3]
  a: f32[3, 3] @f33
  b: f32[2, 3] @f23
  at here)"},
    {"solve_number", [](const Inputs &in) { (void)linalg::solve(in.f33, in.f); }, R"(
solve: expected b of rank 1 or more, got a number
  a: f32[3, 3] @f33
  b: f32[] @f
  at here)"},
    {"triangular_solve_rows", [](const Inputs &in) { (void)linalg::triangular_solve(in.f33, in.f23); }, R"(
triangular_solve: expected b with as many rows as a has, and equal leading axes, got f32[3, 3] and f32[2, 3]
  a: f32[3, 3] @f33
  b: f32[2, 3] @f23
  at here)"},
    {"lu_solve_pivots", [](const Inputs &in) { (void)linalg::lu_solve(in.f33, in.f3, in.f3); }, R"(
lu_solve: expected integers as pivots, got f32[3]
  lu: f32[3, 3] @f33
  pivots: f32[3] @f3
  b: f32[3] @f3
  at here)"},
    {"qr_mode", [](const Inputs &in) { (void)linalg::qr(in.f23, static_cast<QRMode>(3)); }, R"(
qr: expected a value of QRMode, got the number 3
  x: f32[2, 3] @f23
  at here)"},
    {"svd_rank", [](const Inputs &in) { (void)linalg::svd(in.f3); }, R"(
svd: expected an array of rank 2 or more, got f32[3]
  x: f32[3] @f3
  at here)"},
    {"pinv_rtol", [](const Inputs &in) { (void)linalg::pinv(in.f23, -1.0); }, R"(
pinv: expected an rtol of 0 or more, got -1
  x: f32[2, 3] @f23
  at here)"},
    {"tridiagonal_sizes", [](const Inputs &in) { (void)linalg::tridiagonal_solve(in.f3, in.f3, in.f3, in.f23); },
     R"(
tridiagonal_solve: expected diagonals f32[2] for b f32[2, 3], got f32[3]
  dl: f32[3] @f3
  d: f32[3] @f3
  b: f32[2, 3] @f23
  at here)"},
    {"block_diag_rank", [](const Inputs &) { (void)linalg::block_diag({zeros({1, 1, 1})}); }, R"(
block_diag: expected matrices, vectors or numbers, got f32[1, 1, 1]
  xs[0]: f32[1, 1, 1]
  at here)"},
    {"householder_taus", [](const Inputs &in) { (void)linalg::householder_product(in.f32, in.f3); }, R"(
householder_product: expected x of at least as many rows as columns, and at most as many taus, got f32[3, 2] and f32[3]
  x: f32[3, 2] @f32
  taus: f32[3] @f3
  at here)"},
};

class Linalg : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Linalg, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Linalg, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
