//===- accuracy.cpp - Fourier transforms and factorizations for accuracy.py ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: accuracy GIVEN.npz FOUND.npz. An array FUNCTION/NAME of GIVEN is the argument of the function; its results are
// FUNCTION/NAME/0, FUNCTION/NAME/1, ... of FOUND. A second argument is FUNCTION/NAME/b.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>
#include <map>

namespace tn = tenon;
namespace la = tenon::linalg;
using Arrays = std::vector<tn::Array>;

static const std::map<std::string, Arrays (*)(const tn::Array &x, const tn::Array &b)> functions = {
    {"fft", [](auto &x, auto &) { return Arrays{tn::fft::fft(x)}; }},
    {"rfft", [](auto &x, auto &) { return Arrays{tn::fft::rfft(tn::real(x))}; }},
    {"round trip", [](auto &x, auto &) { return Arrays{tn::fft::ifft(tn::fft::fft(x))}; }},
    {"solve", [](auto &x, auto &b) { return Arrays{la::solve(x, b)}; }},
    {"inv", [](auto &x, auto &) { return Arrays{la::inv(x)}; }},
    {"lu",
     [](auto &x, auto &) {
       tn::LUResult r = la::lu(x);
       return Arrays{tn::matmul(r.P, r.L), r.U};
     }},
    {"cholesky", [](auto &x, auto &) { return Arrays{la::cholesky(x)}; }},
    {"qr",
     [](auto &x, auto &) {
       tn::QRResult r = la::qr(x);
       return Arrays{r.Q, r.R};
     }},
    {"svd",
     [](auto &x, auto &) {
       tn::SVDResult r = la::svd(x, {.full_matrices = false});
       return Arrays{r.U, r.S, r.Vh};
     }},
    {"eigh",
     [](auto &x, auto &) {
       tn::EighResult r = la::eigh(x);
       return Arrays{r.eigenvalues, r.eigenvectors};
     }},
    {"eig",
     [](auto &x, auto &) {
       tn::EigResult r = la::eig(x);
       return Arrays{r.eigenvalues, r.eigenvectors};
     }},
    {"lstsq", [](auto &x, auto &b) { return Arrays{la::lstsq(x, b).solution}; }},
};

int main(int, char **arguments) {
  const tn::NamedArrays given = tn::load_npz(arguments[1]);
  tn::NamedArrays found;
  for (const auto &[key, x] : given) {
    if (key.ends_with("/b"))
      continue;
    const auto b = given.find(key + "/b");
    const Arrays results = functions.at(key.substr(0, key.find('/')))(x, b == given.end() ? tn::Array() : b->second);
    for (size_t i = 0; i < results.size(); ++i)
      found[key + "/" + std::to_string(i)] = results[i];
  }
  tn::save_npz(arguments[2], found);
}
