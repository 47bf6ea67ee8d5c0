//===- Tree.cpp - paths and structures of trees, as text --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/tree/Structure.h"

#include <tenon/detail/tree_ops.h>

#include <atomic>
#include <charconv>
#include <cstring>

using namespace tenon;

static void appendQuoted(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '"';
}

static void appendField(std::string &out, std::string_view name) {
  if (!out.empty())
    out += '.';
  out += name;
}

void Path::append(std::string &out) const {
  if (kind_ == Kind::root)
    return;
  parent_->append(out);
  if (kind_ == Kind::field) {
    appendField(out, name_);
    return;
  }
  out += '[';
  if (kind_ == Kind::index)
    out += std::to_string(index_);
  else
    appendQuoted(out, name_);
  out += ']';
}

TreeObject::TreeObject() {
  static std::atomic<uint64_t> next{1};
  identity_ = next++;
}

std::string Path::str() const {
  std::string out;
  append(out);
  return out;
}

void detail::PathCollector::take(const Path &path) const { out.push_back(path.str()); }

std::string_view StructureBytes::view() const { return {data_, size_}; }

void StructureBytes::grow(size_t size) {
  size_t capacity = 2 * capacity_ > size_ + size ? 2 * capacity_ : size_ + size;
  char *data = new char[capacity];
  std::memcpy(data, data_, size_);
  if (data_ != inline_)
    delete[] data_;
  data_ = data;
  capacity_ = capacity;
}

namespace {

template <class T>
std::string numberText(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

/// Reads a structure: the type's bytes with one cursor, the values with
/// another. The grammar stands at detail::TypeWriter.
class Reader {
public:
  explicit Reader(std::string_view bytes) : type_(bytes.data()) {
    const char *end = type_;
    skip(end);
    value_ = end;
  }

  /// The node's letter, with references to an outer aggregate followed.
  char letter() const { return *type_; }
  char takeLetter() { return *type_++; }
  size_t takeCount() { return readCount(type_); }
  std::string_view takeText() { return readText(type_); }
  uint64_t takeSize() {
    uint64_t size;
    std::memcpy(&size, value_, sizeof(size));
    value_ += sizeof(size);
    return size;
  }
  std::string_view takeBytes(size_t size) {
    value_ += size;
    return {value_ - size, size};
  }
  /// The key of a map's next entry, quoted if a string.
  std::string takeKey(char form) {
    if (form == 't') {
      std::string out;
      appendQuoted(out, takeBytes(takeSize()));
      return out;
    }
    std::string_view bytes = takeBytes(8);
    return form == 'i' ? numberText<int64_t>(bytes.data()) : numberText<uint64_t>(bytes.data());
  }

  const char *type() const { return type_; }
  void setType(const char *type) { type_ = type; }
  void skipType() { skip(type_); }
  /// Behind the last value read.
  const char *end() const { return value_; }

  /// Calls callback with the type cursor at the node itself, where it may be a
  /// reference to an aggregate around it; keeps the list of those aggregates.
  template <class F>
  auto inNode(F &&callback) {
    std::vector<const char *> outer = outer_;
    const char *back = nullptr;
    if (*type_ == 'r') {
      const char *cursor = type_ + 1;
      size_t level = readCount(cursor);
      back = cursor;
      type_ = outer_[level];
      outer_.resize(level);
    }
    if (*type_ == '{')
      outer_.push_back(type_);
    auto result = callback();
    outer_ = outer;
    if (back)
      type_ = back;
    return result;
  }

  /// The node at the cursors, which move behind it.
  std::string text() {
    return inNode([&] { return nodeText(); });
  }

  std::string staticText(char form, size_t size, std::string_view type) {
    if (form == 't') {
      std::string out;
      appendQuoted(out, takeBytes(takeSize()));
      return out;
    }
    const char *bytes = takeBytes(size).data();
    if (form == 'b')
      return *bytes ? "true" : "false";
    if (form == 'f')
      return size == 4   ? numberText<float>(bytes)
             : size == 8 ? numberText<double>(bytes)
                         : numberText<long double>(bytes);
    bool isUnsigned = form == 'u';
    std::string value = size == 1   ? isUnsigned ? std::to_string(static_cast<uint8_t>(*bytes)) : std::to_string(*bytes)
                        : size == 2 ? isUnsigned ? numberText<uint16_t>(bytes) : numberText<int16_t>(bytes)
                        : size == 4 ? isUnsigned ? numberText<uint32_t>(bytes) : numberText<int32_t>(bytes)
                        : isUnsigned ? numberText<uint64_t>(bytes)
                                     : numberText<int64_t>(bytes);
    return form == 'e' ? std::string(type) + "(" + value + ")" : value;
  }

private:
  static size_t readCount(const char *&cursor) {
    size_t value = 0;
    for (int byte = 0; byte < 4; ++byte)
      value |= static_cast<size_t>(static_cast<unsigned char>(*cursor++)) << (8 * byte);
    return value;
  }
  static std::string_view readText(const char *&cursor) {
    size_t size = readCount(cursor);
    cursor += size;
    return {cursor - size, size};
  }
  static void skip(const char *&cursor) {
    switch (*cursor++) {
    case 's':
      cursor += 2;
      readText(cursor);
      return;
    case 'v':
    case 'o':
      return skip(cursor);
    case 'a':
      cursor += 4;
      return skip(cursor);
    case 'm':
      cursor += 2;
      return skip(cursor);
    case 'r':
      cursor += 4;
      return;
    case 't':
      for (size_t count = readCount(cursor); count; --count)
        skip(cursor);
      return;
    case '{':
      readText(cursor);
      for (size_t count = readCount(cursor); count; --count) {
        readText(cursor);
        skip(cursor);
      }
      return;
    case 'O':
      readText(cursor);
      return;
    default: // 'A', 'K', 'V'
      return;
    }
  }

  /// `[Array, Array]`, or `[2 x Array]` where all elements read alike.
  std::string elementsText(size_t count) {
    const char *element = type_;
    std::vector<std::string> texts;
    bool equal = true;
    for (size_t i = 0; i < count; ++i) {
      type_ = element;
      texts.push_back(text());
      equal &= texts.back() == texts.front();
    }
    type_ = element;
    skip(type_);
    if (count > 1 && equal)
      return "[" + std::to_string(count) + " x " + texts.front() + "]";
    std::string out = "[";
    for (size_t i = 0; i < count; ++i)
      out += (i ? ", " : "") + texts[i];
    return out + "]";
  }

  std::string nodeText() {
    switch (takeLetter()) {
    case 'A':
      return "Array";
    case 'K':
      return "Key";
    case 'V':
      return takeSize() ? "Variable" : "no Variable";
    case 'O': {
      const std::string name(takeText());
      takeBytes(takeSize());
      return name;
    }
    case 's': {
      char form = takeLetter();
      size_t size = static_cast<unsigned char>(takeLetter());
      return staticText(form, size, takeText());
    }
    case 'v':
      return elementsText(takeSize());
    case 'a':
      return elementsText(takeCount());
    case 'o':
      if (*takeBytes(1).data())
        return text();
      skip(type_);
      return "none";
    case 't': {
      std::string out = "(";
      for (size_t i = 0, count = takeCount(); i < count; ++i)
        out += (i ? ", " : "") + text();
      return out + ")";
    }
    case 'm': {
      char form = takeLetter();
      takeLetter();
      const char *entry = type_;
      std::string out = "{";
      for (size_t i = 0, count = takeSize(); i < count; ++i) {
        type_ = entry;
        out += (i ? ", " : "") + takeKey(form) + ": ";
        out += text();
      }
      type_ = entry;
      skip(type_);
      return out + "}";
    }
    default: { // '{'
      std::string out = std::string(takeText()) + "{";
      for (size_t i = 0, count = takeCount(); i < count; ++i) {
        out += (i ? ", " : "") + std::string(takeText()) + ": ";
        out += text();
      }
      return out + "}";
    }
    }
  }

  const char *type_, *value_ = nullptr;
  std::vector<const char *> outer_;
};

/// A static value that two structures have differently.
struct StaticChange {
  char form;
  detail::NumberChange values;
};

/// Walks two structures side by side up to the first difference.
class Comparison {
public:
  Comparison(std::string_view expected, std::string_view got, bool values)
      : expected_(expected), got_(got), values_(values) {}

  /// Whether they differ in nothing but static values, which are listed.
  bool differInStatics(std::vector<StaticChange> &changes) {
    values_ = false;
    changes_ = &changes;
    return same("");
  }

  std::string difference() {
    if (same(""))
      return "";
    return (where_.empty() ? "" : where_ + ": ") + "expected " + expectedText_ + ", got " + gotText_;
  }

private:
  bool differ(const std::string &path, std::string expected, std::string got) {
    where_ = path;
    expectedText_ = std::move(expected);
    gotText_ = std::move(got);
    return false;
  }

  bool same(const std::string &path) {
    // The texts start at the nodes, so they are read before the walk moves on.
    Reader expected = expected_, got = got_;
    bool sameType = true;
    bool result = expected_.inNode([&] { return got_.inNode([&] { return sameNode(path, sameType); }); });
    return sameType ? result : differ(path, expected.text(), got.text());
  }

  bool sameNode(const std::string &path, bool &sameType) {
    char letter = expected_.takeLetter();
    sameType = letter == got_.takeLetter();
    if (!sameType)
      return false;
    switch (letter) {
    case 's':
      return sameStatic(path);
    case 'V': {
      const uint64_t one = expected_.takeSize(), other = got_.takeSize();
      return !values_ || one == other || differ(path, "one Variable", "another one");
    }
    case 'O': {
      const std::string_view type = expected_.takeText(), otherType = got_.takeText();
      if (type != otherType)
        return differ(path, std::string(type), std::string(otherType));
      const std::string_view one = expected_.takeBytes(expected_.takeSize()), other = got_.takeBytes(got_.takeSize());
      return !values_ || one == other || differ(path, "one " + std::string(type), "another one, or one built anew");
    }
    case 'v': {
      uint64_t size = expected_.takeSize(), other = got_.takeSize();
      if (size != other)
        return differ(path, std::to_string(size) + (size == 1 ? " element" : " elements"), std::to_string(other));
      return sameElements(path, size);
    }
    case 'a': {
      size_t size = expected_.takeCount();
      sameType = size == got_.takeCount();
      return sameType && sameElements(path, size);
    }
    case 'o':
      return sameOptional(path);
    case 't': {
      size_t count = expected_.takeCount();
      sameType = count == got_.takeCount();
      for (size_t i = 0; sameType && i < count; ++i)
        if (!same(path + "[" + std::to_string(i) + "]"))
          return false;
      return sameType;
    }
    case 'm':
      return sameMap(path, sameType);
    case '{':
      return sameAggregate(path, sameType);
    default: // 'A', 'K'
      return true;
    }
  }

  bool sameStatic(const std::string &path) {
    char form = expected_.takeLetter(), otherForm = got_.takeLetter();
    size_t size = static_cast<unsigned char>(expected_.takeLetter());
    size_t otherSize = static_cast<unsigned char>(got_.takeLetter());
    std::string_view type = expected_.takeText(), otherType = got_.takeText();
    if (type != otherType)
      return differ(path, std::string(type) + " " + expected_.staticText(form, size, type),
                    std::string(otherType) + " " + got_.staticText(otherForm, otherSize, otherType));
    std::string value = expected_.staticText(form, size, type),
                other = got_.staticText(otherForm, otherSize, otherType);
    if (changes_ && value != other)
      changes_->push_back({form, {path, value, other}});
    return !values_ || value == other || differ(path, value, other);
  }

  bool sameElements(const std::string &path, size_t count) {
    const char *element = expected_.type(), *otherElement = got_.type();
    for (size_t i = 0; i < count; ++i) {
      expected_.setType(element);
      got_.setType(otherElement);
      if (!same(path + "[" + std::to_string(i) + "]"))
        return false;
    }
    expected_.setType(element);
    got_.setType(otherElement);
    expected_.skipType();
    got_.skipType();
    return true;
  }

  bool sameOptional(const std::string &path) {
    bool engaged = *expected_.takeBytes(1).data(), other = *got_.takeBytes(1).data();
    if (engaged && other)
      return same(path);
    if (engaged)
      return differ(path, expected_.text(), "none");
    if (other)
      return differ(path, "none", got_.text());
    expected_.skipType();
    got_.skipType();
    return true;
  }

  bool sameMap(const std::string &path, bool &sameType) {
    char form = expected_.takeLetter();
    sameType = form == got_.takeLetter();
    sameType &= expected_.takeLetter() == got_.takeLetter();
    if (!sameType)
      return false;
    const char *entry = expected_.type(), *otherEntry = got_.type();
    uint64_t size = expected_.takeSize(), other = got_.takeSize();
    for (uint64_t i = 0; i < size || i < other; ++i) {
      std::string key = i < size ? expected_.takeKey(form) : "", otherKey = i < other ? got_.takeKey(form) : "";
      if (i >= size)
        return differ(path, "no further key", "key " + otherKey);
      if (key != otherKey)
        return differ(path, "key " + key, i < other ? "key " + otherKey : "no further key");
      expected_.setType(entry);
      got_.setType(otherEntry);
      if (!same(path + "[" + key + "]"))
        return false;
    }
    expected_.setType(entry);
    got_.setType(otherEntry);
    expected_.skipType();
    got_.skipType();
    return true;
  }

  bool sameAggregate(const std::string &path, bool &sameType) {
    sameType = expected_.takeText() == got_.takeText();
    size_t count = expected_.takeCount();
    sameType &= count == got_.takeCount();
    for (size_t i = 0; sameType && i < count; ++i) {
      std::string_view name = expected_.takeText();
      sameType = name == got_.takeText();
      std::string field = path;
      appendField(field, name);
      if (sameType && !same(field))
        return false;
    }
    return sameType;
  }

  Reader expected_, got_;
  bool values_;
  std::vector<StaticChange> *changes_ = nullptr;
  std::string where_, expectedText_, gotText_;
};

} // namespace

std::string tenon::structure_text(std::string_view structure) { return Reader(structure).text(); }

std::string tenon::structure_difference(std::string_view expected, std::string_view got, bool values) {
  return Comparison(expected, got, values).difference();
}

/// The structure in front of a list of them, which loses it.
static std::string_view takeTree(std::string_view &rest) {
  Reader reader(rest);
  reader.text();
  std::string_view tree = rest.substr(0, static_cast<size_t>(reader.end() - rest.data()));
  rest.remove_prefix(tree.size());
  return tree;
}

std::string detail::argumentPath(std::span<const std::string> names, size_t argument, std::string_view path) {
  if (argument >= names.size() || names[argument].empty())
    return "arg " + std::to_string(argument) + (path.empty() ? "" : ": ") + std::string(path);
  return names[argument] + (path.empty() || path.front() == '[' ? "" : ".") + std::string(path);
}

std::string detail::parameterList(std::string_view structures, std::span<const std::string> names) {
  std::string text = "(";
  for (size_t number = 0; !structures.empty(); ++number) {
    const std::string_view tree = takeTree(structures);
    text += (number ? ", " : "") + argumentPath(names, number, "");
    const std::string value = structure_text(tree);
    if (tree.front() == 's')
      text += "=" + value;
    else if (value.ends_with("{}")) // a type alone, as constant<3> is
      text += "=" + value.substr(0, value.size() - 2);
  }
  return text + ")";
}

std::optional<detail::NumberChange> detail::changedNumber(std::string_view was, std::string_view is,
                                                          std::span<const std::string> names) {
  std::optional<NumberChange> found;
  for (size_t number = 0; !was.empty() && !is.empty(); ++number) {
    std::string_view first = takeTree(was), second = takeTree(is);
    if (first == second)
      continue;
    std::vector<StaticChange> changes;
    if (found || !Comparison(first, second, false).differInStatics(changes) || changes.size() != 1 ||
        std::string_view("iuf").find(changes[0].form) == std::string_view::npos)
      return std::nullopt;
    found = std::move(changes[0].values);
    found->path = argumentPath(names, number, found->path);
  }
  return was.empty() && is.empty() ? found : std::nullopt;
}

std::vector<std::string> detail::argumentDifferences(std::string_view expected, std::string_view got,
                                                     std::span<const std::string> names) {
  std::vector<std::string> differences;
  size_t number = 0;
  for (; !expected.empty() && !got.empty(); ++number) {
    std::string_view first = takeTree(expected), second = takeTree(got);
    if (first != second) {
      const std::string difference = structure_difference(first, second, true);
      const bool isWhole = difference.starts_with("expected ");
      differences.push_back(isWhole ? argumentPath(names, number, "") + ": " + difference
                                    : argumentPath(names, number, difference));
    }
  }
  if (expected.empty() && got.empty())
    return differences;
  size_t wanted = number, given = number;
  for (; !expected.empty(); ++wanted)
    takeTree(expected);
  for (; !got.empty(); ++given)
    takeTree(got);
  differences.push_back("expected " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") + ", got " +
                        std::to_string(given));
  return differences;
}

void detail::require_same_structure(std::string_view function, std::string_view first, std::string_view other,
                                    int number, Location at) {
  std::string difference = structure_difference(first, other, /*values=*/false);
  if (difference.empty())
    return;
  throw Error(std::string(function) + ": tree " + std::to_string(number) + " is not built like tree 1, " + difference +
                  "\n  tree 1: " + structure_text(first) + "\n  tree " + std::to_string(number) + ": " +
                  structure_text(other),
              at);
}

size_t detail::first_shared(const std::vector<const void *> &tree, const std::vector<const void *> &copy,
                            std::string_view type, Location at) {
  if (copy.size() != tree.size())
    throw Error("tree_fields: expected a copy of '" + std::string(type) + "' with as many arrays as the original, " +
                    std::to_string(tree.size()) + ", got " + std::to_string(copy.size()),
                at);
  size_t number = 0;
  while (number < tree.size() && tree[number] != copy[number])
    ++number;
  return number;
}

void detail::throw_shared_array(std::string_view type, const std::string &path, Location at) {
  throw Error("tree_fields: a copy of '" + std::string(type) + "' shares the array at '" + path +
                  "' with the original, which a transformation would change; copies must not share their arrays: hold "
                  "them by value, or write a copy constructor that copies them",
              at);
}

void detail::throw_leaf_count(std::string_view function, size_t expected, size_t got, Location at) {
  throw Error(std::string(function) + ": expected " + std::to_string(expected) +
                  (expected == 1 ? " array, got " : " arrays, got ") + std::to_string(got),
              at);
}
