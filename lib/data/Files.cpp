//===- Files.cpp - datasets in files ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/ErrorLocation.h"
#include "lib/data/ByteStream.h"
#include "lib/data/Crc32c.h"
#include "lib/data/Rows.h"

#include <tenon/data.h>
#include <tenon/ops.h>

#include <algorithm>
#include <array>
#include <cstring>

using namespace tenon;
using namespace tenon::data;
using namespace tenon::data::detail;

namespace {
/// Gives the elements of one file.
class FileReader {
public:
  virtual ~FileReader() = default;
  virtual bool next(Item &out) = 0;
  virtual int64_t skip(int64_t count) {
    Item item;
    for (int64_t i = 0; i < count; ++i)
      if (!next(item))
        return i;
    return count;
  }
};
using ReaderPtr = std::unique_ptr<FileReader>;

class LineReader final : public FileReader {
public:
  explicit LineReader(const std::string &path)
      : stream_("data::text_lines", path), file_(std::make_shared<std::string>(path)) {
    if (isGzip(stream_.start()))
      stream_.inflateGzip();
  }
  bool next(Item &out) override {
    std::string line;
    if (!take(line))
      return false;
    out = {new std::string(std::move(line)), &element_ops<std::string>, {file_, "line", ++number_}};
    return true;
  }

private:
  /// Whether there is one.
  bool take(std::string &line) {
    while (true) {
      const auto *begin = reinterpret_cast<const char *>(buffer_.data()) + at_;
      const auto *end = static_cast<const char *>(std::memchr(begin, '\n', held_ - at_));
      const size_t part = end ? static_cast<size_t>(end - begin) : held_ - at_;
      line.append(begin, part);
      at_ += part + (end ? 1 : 0);
      if (end)
        break;
      held_ = stream_.read(buffer_);
      at_ = 0;
      if (held_ == 0 && line.empty())
        return false;
      if (held_ == 0)
        break;
    }
    if (line.ends_with('\r'))
      line.pop_back();
    return true;
  }

  ByteStream stream_;
  std::shared_ptr<const std::string> file_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(size_t(1) << 16);
  size_t at_ = 0, held_ = 0;
  int64_t number_ = 0;
};

/// A record: its size as u64, that one's checksum, the bytes, their checksum.
class RecordReader final : public FileReader {
public:
  explicit RecordReader(const std::string &path)
      : stream_("data::tfrecord", path), file_(std::make_shared<std::string>(path)) {
    // A size may begin as gzip does; then its checksum is right.
    const std::span<const std::byte> start = stream_.start();
    const bool isPlain = start.size() >= 12 && checksumAt(start.subspan(8)) == maskedCrc32c(start.first(8));
    if (!isPlain && isGzip(start))
      stream_.inflateGzip();
  }
  bool next(Item &out) override {
    std::array<std::byte, 12> head;
    const size_t got = stream_.read(head);
    if (got == 0)
      return false;
    ++number_;
    if (got < head.size())
      fail("expected 12 bytes of a record's start, got " + std::to_string(got));
    if (checksumAt(std::span(head).subspan(8)) != maskedCrc32c(std::span(head).first(8)))
      fail("expected the checksum of a record's size, got another one: the file is damaged, or is no TFRecord file");
    uint64_t size;
    std::memcpy(&size, head.data(), sizeof(size));
    auto record = std::make_unique<std::string>();
    // In parts: a wrong size must not ask for memory that the file cannot fill.
    while (record->size() < size) {
      const size_t before = record->size(), part = std::min<uint64_t>(size - before, uint64_t(1) << 24);
      record->resize(before + part);
      readAll(std::as_writable_bytes(std::span(record->data() + before, part)), "data");
    }
    std::array<std::byte, 4> tail;
    readAll(tail, "checksum");
    if (checksumAt(tail) != maskedCrc32c(std::as_bytes(std::span(*record))))
      fail("expected the checksum of a record's data, got another one: the file is damaged");
    out = {record.release(), &element_ops<std::string>, {file_, "record", number_}};
    return true;
  }

private:
  static uint32_t checksumAt(std::span<const std::byte> bytes) {
    uint32_t checksum;
    std::memcpy(&checksum, bytes.data(), sizeof(checksum));
    return checksum;
  }
  void readAll(std::span<std::byte> out, const char *part) {
    const size_t got = stream_.read(out);
    if (got < out.size())
      fail("expected " + std::to_string(out.size()) + " more bytes of a record's " + part + ", got " +
           std::to_string(got));
  }
  [[noreturn]] void fail(const std::string &message) const {
    stream_.fail(message + "\n  record: " + std::to_string(number_));
  }

  ByteStream stream_;
  std::shared_ptr<const std::string> file_;
  int64_t number_ = 0;
};

class ArrayReader final : public FileReader {
public:
  ArrayReader(const std::string &path, Location at)
      : file_(std::make_shared<std::string>(path)), array_(load_npy(path, at)),
        rows_(tenon::detail::tree_ref(array_), &element_ops<Array>, "data::npy", at) {}
  bool next(Item &out) override {
    if (next_ == rows_.count())
      return false;
    out = rows_.element(next_++);
    out.origin = {file_, "row", next_ - 1};
    return true;
  }
  int64_t skip(int64_t count) override {
    count = std::min(count, rows_.count() - next_);
    next_ += count;
    return count;
  }

private:
  std::shared_ptr<const std::string> file_;
  Array array_;
  Rows rows_;
  int64_t next_ = 0;
};

enum class Format : int { lines, records, npy };

class FilesStage final : public Stage {
public:
  FilesStage(Format format, const std::vector<std::string> &paths, const ElementOps *ops, Location at)
      : Stage(ops, at), format_(format), paths_(paths) {}
  WalkPtr start(int64_t) const override { return std::make_unique<FilesWalk>(*this); }

private:
  ReaderPtr open(const std::string &path) const {
    if (format_ == Format::lines)
      return std::make_unique<LineReader>(path);
    if (format_ == Format::records)
      return std::make_unique<RecordReader>(path);
    return std::make_unique<ArrayReader>(path, at);
  }

  class FilesWalk final : public Walk {
  public:
    explicit FilesWalk(const FilesStage &stage) : stage_(stage) {}
    bool next(Item &out) override {
      return pass(1, [&](FileReader &reader, int64_t) { return reader.next(out) ? 1 : 0; }) == 1;
    }
    int64_t skip(int64_t count) override {
      return pass(count, [](FileReader &reader, int64_t part) { return reader.skip(part); });
    }

  private:
    template <class Pass>
    int64_t pass(int64_t count, const Pass &some) {
      return tenon::detail::placed(stage_.at, [&] {
        int64_t done = 0;
        while (done < count && (reader_ || file_ < stage_.paths_.size())) {
          if (!reader_)
            reader_ = stage_.open(stage_.paths_[file_++]);
          done += some(*reader_, count - done);
          if (done < count)
            reader_.reset();
        }
        return done;
      });
    }

    const FilesStage &stage_;
    size_t file_ = 0;
    ReaderPtr reader_;
  };

  Format format_;
  std::vector<std::string> paths_;
};
} // namespace

Dataset<std::string> data::text_lines(const Paths &paths, Location at) {
  return Dataset<std::string>(makeStage<FilesStage>(Format::lines, paths.list(), &element_ops<std::string>, at));
}
Dataset<std::string> data::tfrecord(const Paths &paths, Location at) {
  return Dataset<std::string>(makeStage<FilesStage>(Format::records, paths.list(), &element_ops<std::string>, at));
}
Dataset<Array> data::npy(const Paths &paths, Location at) {
  return Dataset<Array>(makeStage<FilesStage>(Format::npy, paths.list(), &element_ops<Array>, at));
}
Dataset<Array> data::csv(const Paths &paths, const CsvOptions &options, Location at) {
  std::vector<Array> tables;
  for (const std::string &path : paths.list())
    tables.push_back(load_csv(path, options, at));
  if (tables.empty())
    throw Error("data::csv: expected the path of a file, got none", at);
  return from_slices(tables.size() == 1 ? tables[0] : tenon::concatenate(tables), at);
}
Dataset<Array> data::idx(const std::string &path, Location at) { return from_slices(load_idx(path, at), at); }
