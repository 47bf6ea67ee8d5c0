//===- IrMutator.h - damages IR text as somebody who edits it would -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tenon::fuzz {

/// Edits of the tokens, types, lines and blocks of a text, with material of other texts. Half of the edits of a
/// token are made wherever it stands, so that many mutants still verify.
class IrMutator {
public:
  /// The inputs to mutate: those of the files, cut at `// -----`.
  explicit IrMutator(const std::vector<std::string> &files);

  size_t size() const { return inputs_.size(); }
  /// The same for the same seed.
  std::string mutated(uint64_t seed);

private:
  size_t below(size_t n) { return n ? static_cast<size_t>(random_() % n) : 0; }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  template <class T>
  const T &any(const std::vector<T> &from) {
    return from[below(from.size())];
  }

  void edit(std::string &text);
  void replaceToken(std::string &text);
  void editToken(std::string &text);
  void replaceType(std::string &text);
  void editLines(std::string &text);
  void editBlock(std::string &text);
  std::string number();
  void replace(std::string &text, const std::string &from, size_t at, const std::string &to);

  std::vector<std::string> inputs_, types_, lines_, blocks_;
  std::map<char, std::vector<std::string>> tokens_;
  std::mt19937_64 random_;
};

} // namespace tenon::fuzz
