//===- Csv.cpp - tables of numbers as text -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Csv.h"

#include "lib/io/FileText.h"
#include "runtime/memory/FileBytes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

using namespace tenon;
using namespace tenon::detail;

static bool isBreak(char c) { return c == '\n' || c == '\r'; }
static bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Whether it could be part of a number, or of what frames one.
static bool isPartOfNumbers(char c) {
  const bool isWord = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return isWord || std::string_view("+-.\"\n\r").find(c) != std::string_view::npos;
}

template <class Fail>
static void checkDelimiter(char delimiter, const Fail &fail) {
  if (delimiter == '\0' || isPartOfNumbers(delimiter))
    fail("expected a delimiter that is part of no number, got " + quotedText({&delimiter, 1}));
}

namespace {
struct Field {
  std::string_view text; ///< without what is blank around it, and without quotes
  int64_t line = 0, column = 0;
  bool isLast = false; ///< of its row
};

/// Goes through a file field by field; lines without a field are skipped.
class Fields {
public:
  Fields(std::string_view text, char delimiter, const InputFile &file)
      : text_(text), delimiter_(delimiter), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) // what some programs begin UTF-8 with
      at_ = 3;
    skipEmptyLines();
  }

  /// From here on comments are skipped. Called between rows.
  void skipCommentsFrom(char comment) {
    comment_ = comment;
    skipEmptyLines();
  }

  /// Whether there is another row; asked between rows.
  bool more() const { return at_ < text_.size(); }

  Field next() {
    Field field;
    field.column = ++column_;
    skipBlanks();
    field.line = line_;
    if (at_ < text_.size() && text_[at_] == '"')
      field.text = quotedField(field);
    else
      field.text = plainField();
    skipComment();
    const bool atDelimiter = at_ < text_.size() && text_[at_] == delimiter_;
    if (at_ < text_.size() && !atDelimiter && !isBreak(text_[at_]))
      fail(field, "expected a delimiter after a field in quotes, got " + quotedText(text_.substr(at_, 1)));
    field.isLast = !atDelimiter;
    if (atDelimiter) {
      ++at_;
    } else {
      column_ = 0;
      skipEmptyLines();
    }
    return field;
  }

  [[noreturn]] void fail(const Field &field, const std::string &message) const {
    file_.fail("line " + std::to_string(field.line) + ", column " + std::to_string(field.column) + ": " + message);
  }

private:
  bool isSkipped(char c) const { return isBlank(c) && c != delimiter_; }
  void skipBlanks() {
    while (at_ < text_.size() && isSkipped(text_[at_]))
      ++at_;
  }

  /// One end of a line, of any system.
  void skipBreak() {
    if (text_.substr(at_, 2) == "\r\n")
      ++at_;
    ++at_;
    ++line_;
  }

  void skipEmptyLines() {
    while (at_ < text_.size()) {
      if (isBreak(text_[at_])) {
        skipBreak();
        continue;
      }
      size_t end = at_;
      while (end < text_.size() && isSkipped(text_[end]))
        ++end;
      if (end < text_.size() && !isBreak(text_[end]) && !isComment(end))
        return;
      at_ = end;
      skipComment();
    }
  }

  bool isComment(size_t at) const { return comment_ != '\0' && at < text_.size() && text_[at] == comment_; }
  void skipComment() {
    if (isComment(at_))
      at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
  }

  std::string_view plainField() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != delimiter_ && !isBreak(text_[at_]) && !isComment(at_))
      ++at_;
    size_t end = at_;
    while (end > begin && isBlank(text_[end - 1]))
      --end;
    return text_.substr(begin, end - begin);
  }

  /// Quotes inside of it stay doubled: a number has none.
  std::string_view quotedField(const Field &field) {
    const size_t begin = ++at_;
    for (;; ++at_) {
      if (at_ == text_.size())
        fail(field, "expected a quote at the end of the field, got the end of the file");
      if (text_[at_] == '"') {
        if (text_.substr(at_, 2) != "\"\"")
          break;
        ++at_;
      } else if (isBreak(text_[at_])) {
        skipBreak();
        --at_;
      }
    }
    std::string_view inside = text_.substr(begin, at_++ - begin);
    skipBlanks();
    while (!inside.empty() && isBlank(inside.front()))
      inside.remove_prefix(1);
    while (!inside.empty() && isBlank(inside.back()))
      inside.remove_suffix(1);
    return inside;
  }

  std::string_view text_;
  char delimiter_, comment_ = '\0';
  const InputFile &file_;
  size_t at_ = 0;
  int64_t line_ = 1, column_ = 0;
};
} // namespace

/// Whether a float, which std::from_chars says is out of range, is so by being below all numbers.
static bool isTiny(std::string_view text) {
  const size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view number = text.substr(e + 1);
    number.remove_prefix(number.starts_with('+'));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), exponent);
    if (error == std::errc::result_out_of_range)
      return number.starts_with('-');
    exponent = std::clamp<int64_t>(exponent, INT64_MIN / 2, INT64_MAX / 2);
  }
  const auto point = static_cast<int64_t>(std::min(digits.find('.'), digits.size()));
  return point - static_cast<int64_t>(digits.find_first_of("123456789")) < -exponent;
}

/// The number that all of the text is, else false. A float is rounded once, one narrower
/// than f32 from an f64; one that is not infinite must not become it.
template <class T>
static bool parseNumber(std::string_view text, T &number, bool &isOutside) {
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  auto parse = [&]<class V>(V &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size())
      return false;
    isOutside = error == std::errc::result_out_of_range;
    if constexpr (std::is_floating_point_v<V>)
      if (isOutside && isTiny(text)) {
        value = text.starts_with('-') ? -V(0) : V(0);
        isOutside = false;
        return true;
      }
    return error == std::errc();
  };
  if constexpr (std::is_same_v<T, bool>) {
    unsigned value = 0;
    const bool isNumber = parse(value);
    isOutside = isOutside || (isNumber && value > 1);
    number = value == 1;
    return isNumber && !isOutside;
  } else if constexpr (NarrowElement<T>) {
    double value = 0;
    const bool isNumber = parse(value);
    number = T(value);
    isOutside = isOutside || (isNumber && std::isfinite(value) && !std::isfinite(static_cast<float>(number)));
    return isNumber && !isOutside;
  } else {
    return parse(number);
  }
}

template <class T>
static constexpr bool hasNan = std::is_floating_point_v<T> || NarrowElement<T>;

static bool isMissing(std::string_view text, const CsvOptions &options) {
  for (const std::string_view known : {"", "NA", "NaN", "nan", "null"})
    if (text == known)
      return true;
  return text == options.missing;
}

template <class T>
static T elementOf(const Field &field, const CsvOptions &options, const Fields &fields) {
  T number{};
  if (isMissing(field.text, options)) {
    if constexpr (hasNan<T>)
      return T(std::numeric_limits<float>::quiet_NaN());
    else
      fields.fail(field,
                  "expected a number, got none, for which " + std::string(short_name(dtype_of<T>)) + " has no value");
  }
  bool isOutside = false;
  if (!parseNumber(field.text, number, isOutside))
    fields.fail(field, "expected a number" +
                           (isOutside ? " that fits " + std::string(short_name(dtype_of<T>)) : std::string()) +
                           (std::is_integral_v<T> && !isOutside ? " without a fraction" : "") + ", got " +
                           quotedText(field.text));
  return number;
}

/// Rows before the table.
static Fields afterHeader(std::string_view text, const CsvOptions &options, const InputFile &file) {
  Fields fields(text, options.delimiter, file);
  for (int64_t row = 0; row < options.skip_rows; ++row) {
    if (!fields.more())
      file.fail("expected " + std::to_string(options.skip_rows) + " rows to skip, got " + std::to_string(row));
    while (!fields.next().isLast) {
    }
  }
  fields.skipCommentsFrom(options.comment == options.delimiter ? '\0' : options.comment);
  return fields;
}

/// The columns to read, from 0, of a table that has so many.
static std::vector<size_t> chosenColumns(const CsvOptions &options, int64_t count, const InputFile &file) {
  std::vector<size_t> chosen;
  for (const int64_t column : options.columns) {
    if (column < -count || column >= count)
      file.fail("expected columns from " + std::to_string(-count) + " to " + std::to_string(count - 1) + ", got " +
                std::to_string(column));
    chosen.push_back(static_cast<size_t>(column < 0 ? column + count : column));
  }
  for (int64_t column = 0; options.columns.empty() && column < count; ++column)
    chosen.push_back(static_cast<size_t>(column));
  return chosen;
}

void detail::readCsv(const std::string &path, const CsvOptions &options, const MakeRoom &makeRoom) {
  InputFile file("load_csv", path);
  checkDelimiter(options.delimiter, [&](const std::string &message) { file.fail(message); });
  if (isPartOfNumbers(options.comment))
    file.fail("expected a comment character that is part of no number, got " + quotedText({&options.comment, 1}));
  if (options.skip_rows < 0)
    file.fail("expected skip_rows of at least 0, got " + std::to_string(options.skip_rows));
  if (kind(options.dtype) == Kind::complex)
    file.fail("expected a dtype of real numbers, got " + std::string(short_name(options.dtype)));
  rt::FileBytes bytes(file.size(), file);
  file.read(bytes, "the file");
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), file.size());

  // Counted first: memory is asked for once, and for as much as there is.
  int64_t sizes[2] = {0, 0};
  for (Fields fields = afterHeader(text, options, file); fields.more(); ++sizes[0]) {
    Field field;
    do
      field = fields.next();
    while (!field.isLast);
    if (sizes[0] == 0)
      sizes[1] = field.column;
    if (field.column != sizes[1])
      fields.fail(field, "expected " + std::to_string(sizes[1]) + " columns, as in the first row, got " +
                             std::to_string(field.column));
  }
  const std::vector<size_t> chosen = chosenColumns(options, sizes[1], file);
  std::vector<Field> row(static_cast<size_t>(sizes[1]));
  sizes[1] = static_cast<int64_t>(chosen.size());
  rt::expectMemoryFor(static_cast<uint64_t>(sizes[0] * sizes[1]) * item_size(options.dtype), file);
  std::byte *out = makeRoom(options.dtype, sizes);
  Fields fields = afterHeader(text, options, file);
  visitDtype(options.dtype, [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    if constexpr (kind(D) != Kind::complex)
      for (int64_t i = 0; i < sizes[0]; ++i) {
        for (Field &field : row)
          field = fields.next();
        for (const size_t column : chosen) {
          const T number = elementOf<T>(row[column], options, fields);
          std::memcpy(out, &number, sizeof number);
          out += sizeof number;
        }
      }
  });
}

/// What is shorter: the text of the float, or of the first of its roundings to 1, 2, ... digits that is
/// read as the same number.
template <NarrowElement T>
static std::string narrowText(T number) {
  char digits[32];
  auto textOf = [&](auto value) {
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  };
  const auto value = static_cast<float>(number);
  const std::string exact = textOf(value);
  for (int after = 0; after < 8 && std::isfinite(value); ++after) {
    const char *end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, after).ptr;
    double rounded = 0;
    std::from_chars(digits, end, rounded);
    if (static_cast<float>(T(rounded)) != value)
      continue;
    const std::string text = textOf(rounded);
    return text.size() < exact.size() ? text : exact;
  }
  return exact;
}

/// The fewest digits that are read as the same number.
template <class T>
static void appendNumber(std::string &text, T number) {
  char digits[32];
  auto put = [&](auto value) { text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr); };
  if constexpr (std::is_same_v<T, bool>)
    text += number ? '1' : '0';
  else if constexpr (NarrowElement<T>)
    text += narrowText(number);
  else
    put(number);
}

/// A name as a field; without quotes one of no letters could make a line with nothing in it.
static std::string fieldText(const std::string &name, char delimiter) {
  const bool isPlain = !name.empty() && name.find_first_of(std::string("\"\n\r \t") + delimiter) == std::string::npos;
  if (isPlain)
    return name;
  std::string text = "\"";
  for (char c : name)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

void detail::writeCsv(const std::string &path, const StridedData &array, const SaveCsvOptions &options) {
  auto fail = [&](const std::string &message) { fileError("save_csv", message, path); };
  checkDelimiter(options.delimiter, fail);
  if (array.dims.size() != 1 && array.dims.size() != 2)
    fail("expected an array of rank 1 or 2, got rank " + std::to_string(array.dims.size()));
  if (kind(array.dtype) == Kind::complex)
    fail("expected an array of real numbers, got " + std::string(short_name(array.dtype)));
  const int64_t rows = array.dims[0], columns = array.dims.size() == 2 ? array.dims[1] : 1;
  if (!options.header.empty() && static_cast<int64_t>(options.header.size()) != columns)
    fail("expected " + std::to_string(columns) + " names of columns, got " + std::to_string(options.header.size()));

  OutputFile file("save_csv", path);
  std::string text;
  for (size_t i = 0; i < options.header.size(); ++i)
    text += (i ? std::string(1, options.delimiter) : "") + fieldText(options.header[i], options.delimiter);
  if (!options.header.empty())
    text += '\n';
  auto flush = [&](size_t atLeast) {
    if (text.size() < atLeast)
      return;
    file.write(std::as_bytes(std::span(text)));
    text.clear();
  };
  visitDtype(array.dtype, [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    const T *next = static_cast<const T *>(array.data);
    if constexpr (kind(D) != Kind::complex)
      for (int64_t row = 0; row < rows && columns > 0; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
          if (column)
            text += options.delimiter;
          appendNumber(text, *next++);
        }
        text += '\n';
        flush(1 << 16);
      }
  });
  flush(1);
  file.commit();
}
