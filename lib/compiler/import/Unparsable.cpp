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

std::optional<Unparsable> tenon::compiler::findUnparsable(llvm::StringRef text) {
  Words words{text};
  bool isBare = true; // no %, @, !, #, ^ in front
  while (words.at < text.size()) {
    const char c = words.peek();
    if (c == '"') {
      words.skipString();
    } else if (text.substr(words.at).starts_with("//")) {
      words.skipLine();
    } else if (!Words::isInWord(c)) {
      isBare = !llvm::StringRef("%@!#^").contains(c);
      ++words.at;
      continue;
    } else if (words.word() == "array" && isBare) {
      words.skipSpace();
      if (words.peek() == '<') {
        ++words.at;
        words.skipSpace();
        const size_t place = words.at;
        const bool isNamed = words.peek() == '!';
        words.at += isNamed;
        llvm::StringRef type = words.word();
        if (isNamed || type == "index") {
          llvm::StringRef before = text.take_front(place);
          const size_t start = before.rfind('\n') + 1; // none: npos + 1 is 0
          return Unparsable{before.count('\n') + 1, place - start + 1,
                            "expected an integer or float type in array<>, got '" + text.slice(place, words.at).str() +
                                "'"};
        }
      }
    }
    isBare = true;
  }
  return std::nullopt;
}
