//===- files.cpp - arrays and programs in files ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in files.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

#include <filesystem>
#include <fstream>

int main() {
  example("save_npy", [] {
    tn::save_npy("numbers.npy", tn::arange(4)); // numpy.load("numbers.npy") reads it
    std::cout << tn::load_npy("numbers.npy");
  });
  example("load_npy", [] {
    tn::save_npy("matrix.npy", {{1.5, 2.5}, {3.5, 4.5}});
    tn::Array x = tn::load_npy("matrix.npy");
    std::cout << x.dtype() << " " << x.shape() << "\n";
    try {
      tn::load_npy("nothing.npy");
    } catch (const tn::Error &error) {
      std::cout << error.message();
    }
  });
  example("save_npz", [] {
    tn::save_npz("model.npz", {{"weight", tn::ones({2, 3})}, {"bias", tn::zeros({3})}}, {.compressed = true});
    for (const auto &[name, array] : tn::load_npz("model.npz"))
      std::cout << name << " " << array.shape() << "\n";
  });
  example("load_npz", [] {
    tn::save_npz("pair.npz", {{"x", tn::arange(3)}, {"y", 0.5f}});
    tn::NamedArrays arrays = tn::load_npz("pair.npz");
    std::cout << arrays.at("x") << " " << arrays.at("y");
  });
  example("save_safetensors", [] {
    tn::save_safetensors("model.safetensors", {{"weight", tn::ones({2, 3}, tn::bf16)}}, {{"author", "me"}});
    tn::Safetensors file = tn::load_safetensors("model.safetensors");
    std::cout << file.arrays.at("weight").dtype() << " by " << file.metadata.at("author");
  });
  example("load_safetensors", [] {
    tn::save_safetensors("layer.safetensors", {{"bias", tn::arange(3.0f)}});
    tn::Array bias = tn::load_safetensors("layer.safetensors").arrays.at("bias"); // mapped, not copied
    std::cout << bias + 1;
  });
  example("latest_checkpoint", [] {
    std::filesystem::remove_all("runs");
    std::map<std::string, tn::Array> model = {{"weight", {1.0f, 2.0f}}};
    int step = 10;
    tn::Checkpoint checkpoint{{"model", model}, {"step", step}};
    checkpoint.save("runs/"); // runs/ckpt-1.safetensors
    model["weight"] = tn::Array{0.0f, 0.0f}, step = 0;
    if (auto latest = tn::latest_checkpoint("runs/")) // to go on from there
      std::cout << *latest << "\n" << checkpoint.restore(*latest).assert_consumed() << "\n";
    std::cout << model["weight"] << " " << step;
  });
  example("save_csv", [] {
    tn::save_csv("table.csv", {{1.0f, 0.1f}, {2.0f, 1e-10f}}, {.header = {"id", "share"}});
    std::cout << std::ifstream("table.csv").rdbuf();
  });
  example("load_csv", [] {
    std::ofstream("prices.csv") << "day,price\n1, 9.5\n2,NA\n";
    std::cout << tn::load_csv("prices.csv", {.skip_rows = 1, .missing = "NA"});
  });
  example("load_idx", [] {
    std::ofstream("labels.idx", std::ios::binary).write("\0\0\x08\x01\0\0\0\x03\x05\0\x04", 11); // three u8
    std::cout << tn::load_idx("labels.idx");
  });
  example("load_program", [] {
    auto scaled = tn::jit([](const tn::Array &x) { return tn::sum(2 * x); });
    scaled.lower(tn::ones({3})).save_blob("scaled.blob");
    tn::LoadedProgram program = tn::load_program("scaled.blob"); // runs without a compiler
    std::cout << program({tn::Array{1.0f, 2.0f, 3.0f}})[0];
  });
}
