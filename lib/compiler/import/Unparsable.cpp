//===- Unparsable.cpp - what MLIR's parser must not see -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/Unparsable.h"

#include "llvm/ADT/StringExtras.h"

using namespace tenon::compiler;

namespace {
/// As much of MLIR's lexer as it takes to tell a word from text and comments.
struct Words {
  llvm::StringRef text;
  size_t at = 0;

  char peek() const { return at < text.size() ? text[at] : '\0'; }
  static bool isInWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }
  void skipLine() { at = std::min(text.find('\n', at), text.size()); }
  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
    ++at;
  }
  void skipSpace() {
    while (at < text.size())
      if (llvm::isSpace(text[at]))
        ++at;
      else if (text.substr(at).starts_with("//"))
        skipLine();
      else
        return;
  }
  llvm::StringRef word() {
    size_t begin = at;
    while (isInWord(peek()))
      ++at;
    return text.slice(begin, at);
  }
};
} // namespace

/// `sentence` at the place `at` of `text`.
static Unparsable unparsableAt(llvm::StringRef text, size_t at, const llvm::Twine &sentence) {
  const llvm::StringRef before = text.take_front(at);
  const size_t start = before.rfind('\n') + 1; // none: npos + 1 is 0
  return {before.count('\n') + 1, at - start + 1, sentence.str()};
}

std::optional<Unparsable> tenon::compiler::findUnparsable(llvm::StringRef text) {
  Words words{text};
  char sign = ' '; // in front of a word: '%' of a value, '#' of a result's number or an alias, ...
  while (words.at < text.size()) {
    const char c = words.peek();
    if (c == '"') {
      words.skipString();
    } else if (text.substr(words.at).starts_with("//")) {
      words.skipLine();
    } else if (!Words::isInWord(c)) {
      sign = c;
      ++words.at;
      continue;
    } else {
      const size_t start = words.at;
      const llvm::StringRef word = words.word();
      uint64_t number;
      // The text of an op names the type of each result.
      if (sign == '#' && !word.getAsInteger(10, number) && number >= text.size())
        return unparsableAt(text, start - 1, "expected the number of a result, got '#" + word + "'");
      if (word == "array" && !llvm::StringRef("%@!#^").contains(sign)) {
        words.skipSpace();
        if (words.peek() == '<') {
          ++words.at;
          words.skipSpace();
          const size_t place = words.at;
          const bool isNamed = words.peek() == '!';
          words.at += isNamed;
          if (words.word() == "index" || isNamed)
            return unparsableAt(
                text, place, "expected an integer or float type in array<>, got '" + text.slice(place, words.at) + "'");
        }
      }
    }
    sign = ' ';
  }
  return std::nullopt;
}
