//===- 08_saving.cpp - lesson 8: arrays, models and programs in files -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 08_saving.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <fstream>
#include <iostream>

namespace tn = tenon;

struct Dense {
  tn::Array kernel, bias;
  tn::Array operator()(const tn::Array &x) const { return tn::tanh(tn::matmul(x, kernel) + bias); }
};
struct Net {
  Dense hidden, out;
  tn::Array operator()(const tn::Array &x) const { return out(hidden(x)); }
};

int main() {
  std::cout << std::boolalpha;
  Net net{{tn::random::normal(tn::random::key(1), {3, 8}), tn::zeros({8})},
          {tn::random::normal(tn::random::key(2), {8, 2}), tn::zeros({2})}};
  tn::Array x = {{1.0f, 2.0f, 3.0f}}, y = net(x);

  // Arrays by name: .npz is NumPy's format (np.load reads it), safetensors the format of models.
  // Files are replaced atomically, so a program that dies while saving leaves the old file intact.
  tn::NamedArrays arrays = {{"hidden.kernel", net.hidden.kernel},
                            {"hidden.bias", net.hidden.bias},
                            {"out.kernel", net.out.kernel},
                            {"out.bias", net.out.bias}};
  tn::save_npz("net.npz", arrays, {.compressed = true});
  tn::save_safetensors("net.safetensors", arrays, {{"trained", "never"}});
  for (const auto &[name, array] : tn::load_npz("net.npz"))
    std::cout << name << " " << array.shape() << "\n";

  // safetensors files are mapped into memory: even a big model loads at once, and unused arrays are never read.
  auto [loaded, metadata] = tn::load_safetensors("net.safetensors");
  Net same{{loaded.at("hidden.kernel"), loaded.at("hidden.bias")}, {loaded.at("out.kernel"), loaded.at("out.bias")}};
  std::cout << "trained: " << metadata.at("trained") << ", the same: " << bool(tn::all(same(x) == y)) << "\n\n";

  // Any model can be saved without naming its arrays, as the list of its leaves,
  // and restored into a model of the same structure. (bf16 also halves the size.)
  tn::NamedArrays leaves;
  for (const tn::Array &leaf : tn::tree_leaves(net))
    leaves[tn::format("{:03}", leaves.size())] = tn::astype(leaf, tn::bf16);
  tn::save_safetensors("leaves.safetensors", leaves);
  std::vector<tn::Array> back;
  for (const auto &[name, array] : tn::load_safetensors("leaves.safetensors").arrays)
    back.push_back(tn::astype(array, tn::f32));
  Net rounded = tn::tree_unflatten(net, back);
  std::cout << "rounded, the result moves by less than 0.05: " << bool(tn::all(tn::abs(rounded(x) - y) < 0.05f))
            << "\n\n";

  // Tables are CSV files. Numbers are written with the fewest digits that read back as the same number.
  std::ofstream("weather.csv") << "day,rain\n1,0.5\n2,NA\n3,12\n";
  tn::Array table = tn::load_csv("weather.csv", {.skip_rows = 1, .missing = "NA"});
  std::cout << table << "\n";
  tn::save_csv("filled.csv", tn::nan_to_num(table), {.header = {"day", "rain"}});
  std::cout << std::ifstream("filled.csv").rdbuf() << "\n";

  // A compiled function is saved as a blob, which runs without a compiler, here or in a program in C
  // (runtime/tenon_rt.h). The blob holds no arrays: those that the function captured from the net are inputs of the
  // program, after x.
  auto predict = tn::jit([&](const tn::Array &x) { return net(x); });
  tn::Lowered lowered = predict.lower(x);
  lowered.save_blob("net.blob");
  tn::LoadedProgram program = tn::load_program("net.blob");
  std::vector<tn::Array> inputs = {x};
  inputs.insert(inputs.end(), lowered.captured().begin(), lowered.captured().end());
  std::cout << "the same bits: " << bool(tn::all(program(inputs)[0] == predict(x))) << "\n\n";

  // An invalid file is an error that names the file.
  std::ofstream("broken.npy") << "no array";
  try {
    tn::load_npy("broken.npy");
  } catch (const tn::Error &error) {
    std::cout << error.what() << "\n";
  }
}
