//===- Npy.cpp - NumPy's .npy files -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Npy.h"

#include "lib/array/Text.h"
#include "lib/base/Dtypes.h"
#include "lib/io/FileText.h"
#include "runtime/memory/FileBytes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

using namespace tenon;
using namespace tenon::detail;

static_assert(std::endian::native == std::endian::little, "elements are copied between file and memory as they are");

static constexpr std::string_view magic("\x93NUMPY", 6);
/// NumPy's own limit.
static constexpr size_t maxRank = 64;
/// What version 1 can say; NumPy itself stops at 10,000.
static constexpr size_t maxHeader = 65535;

/// By dtype number, as numpy.save writes them.
static constexpr std::string_view descriptions[dtype_count] = {
#define TENON_DTYPE(name, code, kind, Element, numpy, descr, ...) descr,
#include <tenon/detail/dtypes.def>
};

static std::optional<Dtype> dtypeOf(std::string_view description) {
  if (description == "bfloat16" || description == "|V2")
    return Dtype::bf16;
  // One byte has no order, so any mark will do.
  auto isSame = [](std::string_view a, std::string_view b) {
    return a == b || (a.size() == 3 && b.size() == 3 && a[2] == '1' && a.substr(1) == b.substr(1) &&
                      std::string_view("<>=|").find(a[0]) != std::string_view::npos);
  };
  for (int i = 0; i < dtype_count; ++i)
    if (isSame(description, descriptions[i]))
      return static_cast<Dtype>(i);
  return std::nullopt;
}

namespace {
struct Header {
  std::optional<std::string> description;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> dims;
};

/// Reads the Python dictionary of the header: three keys, in any order.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const InputStream &file) : text_(text), file_(file) {}

  Header parse() {
    Header header;
    expect('{');
    while (!accept('}')) {
      std::string key = string("a key");
      expect(':');
      if (key == "descr" && !header.description)
        header.description = peeks('[') ? list() : string("a dtype such as '<f4' for 'descr'");
      else if (key == "fortran_order" && !header.fortranOrder)
        header.fortranOrder = boolean();
      else if (key == "shape" && !header.dims)
        header.dims = tuple();
      else
        wrong("the keys 'descr', 'fortran_order', 'shape' once each", quotedText(key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at_ != text_.size())
      wrong("the end of the header", found());
    if (!header.description || !header.fortranOrder || !header.dims)
      wrong("the keys 'descr', 'fortran_order', 'shape'", quotedText(text_));
    return header;
  }

private:
  [[noreturn]] void wrong(const std::string &expected, const std::string &got) const {
    file_.fail("expected " + expected + " in the header, got " + got);
  }
  std::string found() const { return at_ < text_.size() ? quotedText(text_.substr(at_)) : "its end"; }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  bool peeks(char c) {
    skipSpace();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool accept(char c) {
    if (!peeks(c))
      return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      wrong(std::string("'") + c + "'", found());
  }

  std::string string(const char *what) {
    skipSpace();
    char quote = at_ < text_.size() ? text_[at_] : 0;
    size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      wrong(what, found());
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  /// The text of a list, as a structure's fields are.
  std::string list() {
    const size_t begin = at_;
    int depth = 0;
    do {
      const char c = at_ < text_.size() ? text_[at_] : 0;
      if (c == '\'' || c == '"')
        string("a string");
      else if (c == 0)
        wrong("']' after the fields of 'descr'", "its end");
      else
        ++at_, depth += (c == '[') - (c == ']');
    } while (depth > 0);
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool boolean() {
    skipSpace();
    for (bool value : {false, true}) {
      std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    wrong("True or False for 'fortran_order'", found());
  }

  std::vector<int64_t> tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t dim = 0;
      auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), dim);
      if (error != std::errc())
        wrong("a size below 2^63", found());
      at_ = static_cast<size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') // Python 2 wrote long integers so.
        ++at_;
      dims.push_back(dim);
      if (dims.size() > maxRank)
        wrong("at most " + std::to_string(maxRank) + " sizes in 'shape'", "more");
      if (accept(','))
        continue;
      // (3) is no tuple in Python, and no shape in NumPy.
      if (dims.size() == 1)
        wrong("',' after the only size", found());
      expect(')');
      break;
    }
    return dims;
  }

  std::string_view text_;
  const InputStream &file_;
  size_t at_ = 0;
};
} // namespace

static std::string readHeader(InputStream &file) {
  std::byte start[8];
  file.read(start, "magic and version");
  if (std::memcmp(start, magic.data(), magic.size()) != 0)
    file.fail("expected the magic \\x93NUMPY, got " +
              quotedText({reinterpret_cast<const char *>(start), magic.size()}));
  int major = std::to_integer<int>(start[6]), minor = std::to_integer<int>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    file.fail("expected version 1.0, 2.0 or 3.0, got " + std::to_string(major) + "." + std::to_string(minor));
  uint32_t length = 0;
  file.read(std::as_writable_bytes(std::span(&length, 1)).first(major == 1 ? 2 : 4), "header length");
  if (length > file.remaining())
    file.fail("expected " + std::to_string(length) + " bytes of header, got " + std::to_string(file.remaining()));
  if (length > maxHeader)
    file.fail("expected at most " + std::to_string(maxHeader) + " bytes of header, got " + std::to_string(length));
  std::string text(length, ' ');
  file.read(std::as_writable_bytes(std::span(text)), "header");
  return text;
}

static std::vector<int64_t> denseStrides(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

static bool empty(std::span<const int64_t> dims) { return std::find(dims.begin(), dims.end(), 0) != dims.end(); }

/// The dtype of a file whose elements are there with their bytes in the other order:
/// of '>f4' f32. What has no order, or is of one byte, is in none.
static std::optional<Dtype> bigEndianDtype(std::string_view description) {
  if (!description.starts_with('>') || description.substr(1).starts_with('V'))
    return std::nullopt;
  std::optional<Dtype> dtype = dtypeOf("<" + std::string(description.substr(1)));
  return dtype && item_size(*dtype) > 1 ? dtype : std::nullopt;
}

/// Turns the bytes of every number around; a complex one is two.
static void swapBytes(std::span<std::byte> data, Dtype dtype) {
  const size_t size = item_size(dtype) / (kind(dtype) == Kind::complex ? 2 : 1);
  for (size_t i = 0; i < data.size(); i += size)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i), data.begin() + static_cast<std::ptrdiff_t>(i + size));
}

[[noreturn]] static void refuseDtype(const std::string &description, const InputStream &file) {
  if (description.size() > 1 && description[1] == 'O')
    file.fail("expected numbers, got Python objects (" + quotedText(description) +
              "): they are saved by pickle, which is not read because it may run any program");
  const std::string known = listDtypes([](Dtype) { return true; }, [](Dtype d) { return descriptions[int(d)]; });
  file.fail("expected a dtype of " + known + ", got " + quotedText(description));
}

/// Which elements those of NumPy are that no dtype has; empty: not known.
static std::string foreignElements(std::string_view description) {
  if (description.starts_with('['))
    return "structures";
  if (!description.empty() && std::string_view("<>=|").find(description[0]) != std::string_view::npos)
    description.remove_prefix(1);
  for (const std::string_view known : {"f12", "f16", "c24", "c32"})
    if (description == known)
      return "long doubles";
  switch (description.empty() ? 0 : description[0]) {
  case 'U':
  case 'S':
  case 'a':
    return "text";
  case 'V':
    return "structures";
  case 'M':
  case 'm':
    return "dates";
  }
  return {};
}

std::string tenon::detail::readNpy(InputStream &file, const MakeRoom &makeRoom, bool skips) {
  std::string text = readHeader(file);
  Header header = HeaderParser(text, file).parse();
  std::optional<Dtype> bigEndian = bigEndianDtype(*header.description);
  std::optional<Dtype> dtype = bigEndian ? bigEndian : dtypeOf(*header.description);
  if (!dtype) {
    const std::string elements = foreignElements(*header.description);
    if (!skips || elements.empty())
      refuseDtype(*header.description, file);
    std::vector<std::byte> part(1 << 16);
    while (file.remaining() > 0)
      file.read(std::span(part).first(std::min<uint64_t>(part.size(), file.remaining())), "data");
    return elements + " (" + quotedText(*header.description) + ")";
  }

  const std::vector<int64_t> &dims = *header.dims;
  int64_t size = byteSize(dims, item_size(*dtype), file);
  // Before memory is asked for: a corrupt shape must not exhaust it.
  if (static_cast<uint64_t>(size) != file.remaining())
    file.fail("expected " + std::to_string(size) + " bytes of data for " + std::string(name(*dtype)) + " " +
              shapeText(dims) + ", got " + std::to_string(file.remaining()));
  rt::expectMemoryFor(static_cast<uint64_t>(size), file.file());
  std::span<std::byte> out(makeRoom(*dtype, dims), static_cast<size_t>(size));
  // Fortran's order: the bytes are the row-major array of the reversed shape.
  const bool turns = *header.fortranOrder && dims.size() > 1 && size != 0;
  std::optional<rt::FileBytes> turned;
  std::span<std::byte> data = turns ? turned.emplace(out.size(), file.file()) : out;
  file.read(data, "data");
  if (bigEndian)
    swapBytes(data, *dtype);
  if (*dtype == Dtype::bool_)
    expectBools(data, file);
  if (!turns)
    return {};
  std::vector<int64_t> strides = denseStrides(std::vector(dims.rbegin(), dims.rend()));
  std::reverse(strides.begin(), strides.end());
  copyDense({data.data(), *dtype, dims, strides}, out.data());
  return {};
}

void tenon::detail::readNpy(const std::string &path, const MakeRoom &makeRoom) {
  InputFile file("load_npy", path);
  FileStream stream(file);
  readNpy(stream, makeRoom);
}

/// The header as numpy.save writes it: room for the first size to grow to 21 digits in place, then 1 to 64 spaces up to
/// the next multiple of 64 bytes.
std::string tenon::detail::npyHeader(const StridedData &array) {
  std::string dictionary = "{'descr': '" + std::string(descriptions[static_cast<int>(array.dtype)]) +
                           "', 'fortran_order': False, 'shape': " + shapeText(array.dims) + ", }";
  if (!array.dims.empty())
    dictionary.append(21 - std::to_string(array.dims[0]).size(), ' ');
  constexpr size_t before = magic.size() + 4;
  size_t total = (before + dictionary.size() + 1) / 64 * 64 + 64;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string result(magic);
  result += {1, 0, static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return result + dictionary;
}

void tenon::detail::writeNpy(const std::string &path, const StridedData &array) {
  if (array.dims.size() > maxRank)
    fileError("save_npy", "expected a rank of at most 64, got " + std::to_string(array.dims.size()), path);
  std::string header = npyHeader(array);
  std::vector<std::byte> copy;
  std::span<const std::byte> data;
  if (!empty(array.dims)) {
    size_t size = item_size(array.dtype);
    for (int64_t dim : array.dims)
      size *= static_cast<size_t>(dim);
    data = {static_cast<const std::byte *>(array.data), size};
    std::vector<int64_t> dense = denseStrides(array.dims);
    if (!std::equal(dense.begin(), dense.end(), array.strides.begin(), array.strides.end())) {
      copy.resize(size);
      copyDense(array, copy.data());
      data = copy;
    }
  }
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)), data};
  writeFile("save_npy", path, parts);
}
