//===- creation.cpp - new arrays, dtypes, devices -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in creation.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("asarray", [] {
    std::vector<float> numbers = {1.0f, 2.5f};
    std::cout << tn::asarray(numbers) << "\n" << tn::asarray({{1, 2}, {3, 4}}, tn::f64);
  });
  example("astype", [] {
    tn::Array x = {1.7f, -1.7f, 300.0f, NAN};
    std::cout << tn::astype(x, tn::i32) << "\n"; // towards 0; NaN is 0
    std::cout << tn::astype(x, tn::i8);          // saturates
  });
  example("zeros", [] { std::cout << tn::zeros({2, 3}) << "\n" << tn::zeros({2}, tn::i64); });
  example("ones", [] { std::cout << tn::ones({2, 2}); });
  example("full", [] { std::cout << tn::full({2, 2}, 7) << "\n" << tn::full({3}, 0.5, tn::f64); });
  example("empty", [] { std::cout << tn::empty({2, 2}).shape(); });
  example("zeros_like", [] { std::cout << tn::zeros_like({{1, 2}, {3, 4}}); });
  example("ones_like", [] { std::cout << tn::ones_like({1, 2, 3}, tn::f32); });
  example("full_like", [] { std::cout << tn::full_like({1.0f, 2.0f}, 9); });
  example("empty_like", [] { std::cout << tn::empty_like({1.0f, 2.0f}).dtype(); });
  example("arange", [] {
    std::cout << tn::arange(5) << " " << tn::arange(2, 10, 3) << "\n";
    std::cout << tn::arange(0.0f, 1.0f, 0.25f);
  });
  example("iota", [] { std::cout << tn::iota(4) << " " << tn::iota(3, tn::f32); });
  example("linspace", [] {
    std::cout << tn::linspace(0, 1, 5) << "\n";
    std::cout << tn::linspace(0, 1, 5, /*endpoint=*/false);
  });
  example("logspace", [] { std::cout << tn::logspace(0, 3, 4); });
  example("geomspace", [] { std::cout << tn::geomspace(1, 256, 5); });
  example("eye", [] { std::cout << tn::eye(3) << "\n" << tn::eye(2, 3, 1, tn::i32); });
  example("identity", [] { std::cout << tn::identity(2); });
  example("diag", [] { std::cout << tn::diag({1, 2}) << "\n" << tn::diag({{1, 2}, {3, 4}}); });
  example("tril", [] { std::cout << tn::tril(tn::ones({3, 3}, tn::i32)); });
  example("triu", [] { std::cout << tn::triu(tn::ones({3, 3}, tn::i32), 1); });
  example("indices", [] {
    tn::Array places = tn::indices({2, 3});
    std::cout << places[0] << "\n" << places[1]; // the row and the column of each element
  });
  example("meshgrid", [] {
    std::vector<tn::Array> grid = tn::meshgrid({tn::Array{1, 2, 3}, tn::Array{10, 20}});
    std::cout << grid[0] << "\n" << grid[1];
  });
  example("to_device", [] {
    tn::Array x = tn::to_device(tn::ones({2}), tn::Device::cpu); // it is there already: itself
    std::cout << tn::name(x.device());
  });
  example("from_memory", [] {
    std::vector<float> numbers = {1, 2, 3, 4};
    std::cout << tn::from_memory(std::move(numbers), {2, 2}) << "\n"; // not copied
    static const int table[] = {5, 6, 7};
    std::cout << tn::from_memory(table, tn::i32, {3}, [] {}); // the deleter has nothing to do
  });
  example("from_dlpack", [] {
    tn::Array x = {1.0f, 2.0f};
    std::cout << tn::from_dlpack(tn::to_dlpack(x)); // to who knows DLPack and back
  });
  example("to_dlpack", [] {
    DLManagedTensorVersioned *tensor = tn::to_dlpack(tn::ones({2, 2}), {.copy = true});
    std::cout << tn::from_dlpack(tensor).shape();
  });
  example("to_dlpack_unversioned", [] {
    DLManagedTensor *tensor = tn::to_dlpack_unversioned(tn::ones({2, 2})); // DLPack before 1.0
    std::cout << tn::from_dlpack(tensor).shape();
  });
  example("finfo", [] {
    tn::FloatInfo info = tn::finfo(tn::f32);
    std::cout << info.bits << " bits, eps " << info.eps << ", max " << info.max;
  });
  example("iinfo", [] {
    tn::IntInfo info = tn::iinfo(tn::i16);
    std::cout << info.min << " to " << info.max;
  });
  example("isdtype", [] {
    std::cout << std::boolalpha << tn::isdtype(tn::i8, "integral") << " "
              << tn::isdtype(tn::i8, {"real floating", "bool"});
  });
  example("can_cast", [] {
    std::cout << std::boolalpha << tn::can_cast(tn::i32, tn::f64) << " " << tn::can_cast(tn::f32, tn::i32);
  });
  example("result_type", [] {
    tn::Array x = tn::zeros({2}, tn::bf16);
    std::cout << tn::result_type({x, 1.5f}) << " " << tn::result_type({x, tn::f32}); // numbers are weak
  });
  example("vander", [] {
    std::cout << tn::vander({1, 2, 3}) << "\n" << tn::vander({1, 2, 3}, 2, /*increasing=*/true);
  });
  example("tri", [] { std::cout << tn::tri(2, 3) << "\n" << tn::tri(2, 3, 1, tn::i32); });
  example("diagflat", [] { std::cout << tn::diagflat({{1, 2}, {3, 4}}); });
  example("bartlett", [] { std::cout << tn::bartlett(5); });
  example("hanning", [] { std::cout << tn::hanning(5); });
  example("hamming", [] { std::cout << tn::hamming(5); });
  example("blackman", [] { std::cout << tn::blackman(5); });
  example("kaiser", [] { std::cout << tn::kaiser(5, 14); });
}
