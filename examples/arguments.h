//===- arguments.h - options of the longer examples -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   --steps N    how many steps or epochs, where an example is long
//   --size N     how large
//   --data DIR   a folder with MNIST's files; without it, the digits that are part of Tenon
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/datasets.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

namespace examples {

/// `--name value` for each option; an option that ends the line has an empty value.
class Arguments {
public:
  Arguments(int count, char **texts) {
    for (int i = 1; i < count; i += 2)
      values_[texts[i]] = i + 1 < count ? texts[i + 1] : "";
  }
  bool has(const std::string &name) const { return values_.count(name) != 0; }
  std::string text(const std::string &name, const std::string &otherwise = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  int64_t number(const std::string &name, int64_t otherwise) const {
    const std::string given = text(name);
    char *end = nullptr;
    const int64_t value = std::strtoll(given.c_str(), &end, 10);
    if (!given.empty() && (*end != '\0' || value < 1)) {
      std::cerr << name << ": expected a number of at least 1, got '" << given << "'\n";
      std::exit(2);
    }
    return given.empty() ? otherwise : value;
  }

private:
  std::map<std::string, std::string> values_;
};

/// MNIST from the folder of `--data`; without it, the digits that are part of Tenon, enlarged to MNIST's 28 x 28.
inline tenon::datasets::TrainTest mnist(const Arguments &arguments) {
  return arguments.has("--data") ? tenon::datasets::mnist(arguments.text("--data"))
                                 : tenon::datasets::digits({.size = 28});
}

} // namespace examples
