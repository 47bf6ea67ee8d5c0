//===- IrMutator.cpp - mutates IR text -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IrMutator.h"

#include <algorithm>
#include <cctype>

using tenon::fuzz::IrMutator;

namespace {

struct Token {
  size_t at, size;
};

bool isInWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

/// Words with what stands before them (%x, @f, ^bb0, #map, -3), texts, and single signs.
std::vector<Token> tokensOf(const std::string &text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      at = end;
      continue;
    }
    if (text[at] == '"') {
      end = std::min(text.find('"', end), text.size() - 1) + 1;
    } else if (isInWord(text[at]) || std::string("%@^#!-").find(text[at]) != std::string::npos) {
      while (end < text.size() && isInWord(text[end]))
        ++end;
    }
    tokens.push_back({at, end - at});
    at = end;
  }
  return tokens;
}

/// Tokens of one class stand for each other: names by their first sign, numbers, words, texts, single signs.
char classOf(const std::string &token) {
  const char first = token[0];
  if (std::isdigit(static_cast<unsigned char>(first)) || (first == '-' && token.size() > 1))
    return '0';
  if (std::isalpha(static_cast<unsigned char>(first)))
    return token.find('.') == std::string::npos ? 'a' : 'o'; // a word, or the name of an op
  return std::string("%@^#!\"").find(first) == std::string::npos ? '(' : first;
}

/// `tensor<...>` and the like from `at` on; their length.
size_t typeAt(const std::string &text, size_t at) {
  const size_t open = text.find('<', at);
  size_t depth = 0;
  for (size_t end = open; end < text.size(); ++end) {
    depth += text[end] == '<';
    depth -= text[end] == '>' && text[end - 1] != '-';
    if (depth == 0)
      return end + 1 - at;
  }
  return 0;
}

std::vector<Token> typesOf(const std::string &text) {
  std::vector<Token> types;
  for (const char *name : {"tensor<", "vector<", "memref<"})
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if (size_t size = typeAt(text, at))
        types.push_back({at, size});
  return types;
}

/// From a `{` to its `}`.
std::vector<Token> blocksOf(const std::string &text) {
  std::vector<Token> blocks;
  std::vector<size_t> open;
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == '{') {
      open.push_back(at);
    } else if (text[at] == '}' && !open.empty()) {
      blocks.push_back({open.back(), at + 1 - open.back()});
      open.pop_back();
    }
  return blocks;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

/// Comments hold nothing that is parsed.
std::string withoutComments(const std::string &text) {
  std::vector<std::string> kept;
  for (std::string line : linesOf(text)) {
    if (size_t at = line.find("//"); at != std::string::npos)
      line.resize(at);
    if (line.find_first_not_of(' ') != std::string::npos)
      kept.push_back(line);
  }
  return joined(kept);
}

} // namespace

IrMutator::IrMutator(const std::vector<std::string> &files) {
  for (const std::string &file : files)
    for (size_t at = 0; at < file.size();) {
      const size_t end = std::min(file.find("// -----", at), file.size());
      std::string text = withoutComments(file.substr(at, end - at));
      if (!text.empty())
        inputs_.push_back(std::move(text));
      at = end + 8;
    }
  types_ = {"tensor<?xf32>",
            "tensor<f32>",
            "tensor<0xf32>",
            "tensor<4xindex>",
            "tensor<*xf32>",
            "tensor<2xcomplex<f64>>",
            "tensor<4xi7>",
            "tensor<4xf16>",
            "tensor<4xbf16>",
            "tensor<?x?xi64>",
            "tensor<4xui8>",
            "tensor<4xsi32>",
            "vector<4xf32>",
            "memref<4xf32>",
            "index",
            "f32",
            "none",
            "i128",
            "complex<f32>",
            "() -> ()",
            "tensor<4xf32, \"null:0\">",
            "tensor<1x1x1x1x1x1x1x1x1xf32>",
            "tensor<9223372036854775807xf32>"};
  for (const std::string &text : inputs_) {
    for (Token token : tokensOf(text)) {
      std::string word = text.substr(token.at, token.size);
      tokens_[classOf(word)].push_back(std::move(word));
    }
    for (Token type : typesOf(text))
      types_.push_back(text.substr(type.at, type.size));
    for (Token block : blocksOf(text))
      blocks_.push_back(text.substr(block.at, block.size));
    for (std::string &line : linesOf(text))
      lines_.push_back(std::move(line));
  }
  for (auto &[kind, words] : tokens_) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
}

std::string IrMutator::mutated(uint64_t seed) {
  random_.seed(seed);
  std::string text = any(inputs_);
  for (size_t edits = 1 + below(3); edits && !text.empty(); --edits)
    edit(text);
  return text;
}

void IrMutator::edit(std::string &text) {
  switch (below(10)) {
  case 0:
  case 1:
  case 2:
    return replaceToken(text);
  case 3:
    return editToken(text);
  case 4:
  case 5:
  case 6:
    return replaceType(text);
  case 7:
  case 8:
    return editLines(text);
  default:
    return editBlock(text);
  }
}

/// The one at `at`, or all of them.
void IrMutator::replace(std::string &text, const std::string &from, size_t at, const std::string &to) {
  if (chance(50)) {
    text.replace(at, from.size(), to);
    return;
  }
  for (size_t next = text.find(from); next != std::string::npos; next = text.find(from, next + to.size()))
    text.replace(next, from.size(), to);
}

std::string IrMutator::number() {
  static const std::vector<std::string> odd = {"0",
                                               "1",
                                               "-1",
                                               "2",
                                               "3",
                                               "63",
                                               "64",
                                               "256",
                                               "4096",
                                               "2147483648",
                                               "4611686018427387904",
                                               "9223372036854775807",
                                               "-9223372036854775808",
                                               "18446744073709551615",
                                               "1.0e300",
                                               "0.5",
                                               "0x7FF0000000000000",
                                               "0xFF"};
  return chance(60) ? any(odd) : std::to_string(below(10));
}

void IrMutator::replaceToken(std::string &text) {
  const std::vector<Token> tokens = tokensOf(text);
  if (tokens.empty())
    return;
  const Token token = any(tokens);
  const std::string word = text.substr(token.at, token.size);
  const char kind = classOf(word);
  std::vector<std::string> here;
  for (Token other : tokens)
    if (std::string found = text.substr(other.at, other.size); classOf(found) == kind)
      here.push_back(std::move(found));
  const bool isNumber = kind == '0' && chance(60);
  replace(text, word, token.at, isNumber ? number() : any(chance(70) ? here : tokens_[kind]));
}

void IrMutator::editToken(std::string &text) {
  const std::vector<Token> tokens = tokensOf(text);
  if (tokens.empty())
    return;
  const Token token = any(tokens), other = any(tokens);
  const std::string word = text.substr(token.at, token.size);
  switch (below(3)) {
  case 0:
    text.erase(token.at, token.size);
    break;
  case 1:
    text.insert(other.at, word + " ");
    break;
  default:
    text.insert(token.at, text.substr(other.at, other.size) + " ");
    break;
  }
}

void IrMutator::replaceType(std::string &text) {
  const std::vector<Token> types = typesOf(text);
  if (types.empty())
    return;
  const Token type = any(types);
  std::string to = any(types_);
  if (chance(40)) {
    const Token other = any(types);
    to = text.substr(other.at, other.size);
  }
  replace(text, text.substr(type.at, type.size), type.at, to);
}

void IrMutator::editLines(std::string &text) {
  std::vector<std::string> lines = linesOf(text);
  if (lines.empty())
    return;
  const auto from = static_cast<std::ptrdiff_t>(below(lines.size())),
             to = static_cast<std::ptrdiff_t>(below(lines.size()));
  const std::string line = lines[static_cast<size_t>(from)];
  switch (below(4)) {
  case 0:
    lines.erase(lines.begin() + from);
    break;
  case 1:
    lines.insert(lines.begin() + to, line);
    break;
  case 2:
    std::swap(lines[static_cast<size_t>(from)], lines[static_cast<size_t>(to)]);
    break;
  default:
    lines.insert(lines.begin() + to, any(lines_));
    break;
  }
  text = joined(lines);
}

void IrMutator::editBlock(std::string &text) {
  const std::vector<Token> blocks = blocksOf(text);
  if (blocks.empty())
    return;
  const Token block = any(blocks);
  switch (below(4)) {
  case 0:
    text.erase(block.at, block.size);
    break;
  case 1:
    text.insert(block.at, text.substr(block.at, block.size) + " ");
    break;
  case 2: {
    // What is in the block, around itself.
    const std::string whole = text.substr(block.at, block.size);
    text.insert(block.at + block.size - 1, whole.substr(1, whole.size() - 2));
    break;
  }
  default:
    text.replace(block.at, block.size, any(blocks_));
    break;
  }
}
