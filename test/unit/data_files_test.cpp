//===- data_files_test.cpp - datasets in files -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"
#include "test/unit/Values.h"

#include "lib/data/Crc32c.h"

#include <tenon/data.h>
#include <tenon/datasets.h>
#include <tenon/ops.h>

#include <gmock/gmock.h>

#include <zlib.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
std::string gzipped(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
template <class T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}
uint32_t masked(const std::string &bytes) {
  return data::detail::maskedCrc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
}
std::string record(const std::string &bytes) {
  const std::string size = raw(uint64_t(bytes.size()));
  return size + raw(masked(size)) + bytes + raw(masked(bytes));
}
std::string bigEndian(uint32_t value) { return raw(__builtin_bswap32(value)); }

class DataFiles : public tenon::testing::ScratchFile {
protected:
  std::vector<std::string> texts(const data::Dataset<std::string> &dataset) {
    std::vector<std::string> result;
    for (const std::string &text : dataset)
      result.push_back(text);
    return result;
  }
  std::string write(const std::string &name, const std::string &bytes) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
};
} // namespace

TEST_F(DataFiles, LinesOfTextsFollowOneAnother) {
  const std::string long_line(200000, 'x');
  const std::string first = write("a", "one\n\ntwo\r\n" + long_line + "\nlast"), second = write("b", ""),
                    third = write("c.gz", gzipped("three\nfour\n"));
  const auto lines = data::text_lines({first, second, third});
  EXPECT_THAT(texts(lines), ElementsAre("one", "", "two", long_line, "last", "three", "four"));
  EXPECT_THAT(texts(lines | data::skip(5)), ElementsAre("three", "four"));
}

TEST_F(DataFiles, MembersOfACompressedFileFollowOneAnother) {
  EXPECT_THAT(
      texts(data::text_lines(write("m.gz", gzipped("one\ntw") + gzipped("o\n") + gzipped("") + gzipped("three")))),
      ElementsAre("one", "two", "three"));
}

TEST_F(DataFiles, ErrorsOfFunctionsNameFileAndLine) {
  const std::string path = write("a", "1\n2\nthree\n");
  const auto numbers =
      data::text_lines(path) | data::map([](const std::string &line) { return std::stoi(line); }, {.workers = 2});
  const std::string text = errorOf([&] {
    for (int i : numbers)
      (void)i;
  });
  EXPECT_THAT(text, HasSubstr("in data::map at element 2 of epoch 0\n  file: " + path + ", line 3"));
}

TEST_F(DataFiles, MissingFilesAreErrorsOfTheirReaders) {
  EXPECT_EQ(errorOf([&] { texts(data::text_lines(path_)); }).substr(0, 17), "data::text_lines:");
  EXPECT_THAT(errorOf([&] { texts(data::tfrecord(path_)); }), HasSubstr("file: PATH"));
}

TEST_F(DataFiles, ChecksumsAreThoseOfCrc32c) {
  // RFC 3720, B.4
  auto crc = [](const std::string &bytes) { return data::detail::crc32c(std::as_bytes(std::span(bytes))); };
  EXPECT_EQ(crc(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc("123456789"), 0xe3069283u);
}

TEST_F(DataFiles, RecordsAreReadPlainAndCompressed) {
  // Its size begins as gzip does: 0x88b1f bytes.
  const std::string large(0x88b1f, 'x'), bytes = record(large) + record("") + record("abc");
  EXPECT_THAT(texts(data::tfrecord(write("a", bytes))), ElementsAre(large, "", "abc"));
  EXPECT_THAT(texts(data::tfrecord(write("b", gzipped(bytes)))), ElementsAre(large, "", "abc"));
}

TEST_F(DataFiles, DamagedRecordsAreErrors) {
  const std::string bytes = record("hello") + record("world");
  const auto load = [&] { texts(data::tfrecord(path_)); };
  for (size_t length = 1; length < bytes.size(); ++length)
    EXPECT_EQ(errorOf(bytes.substr(0, length), load) == "no error", length == bytes.size() / 2) << length;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_THAT(errorOf(changed, load), HasSubstr("record: " + std::to_string(i < bytes.size() / 2 ? 1 : 2))) << i;
  }
}

TEST_F(DataFiles, RowsOfNpyFilesFollowOneAnother) {
  const std::string first = (folder_ / "0.npy").string(), second = (folder_ / "1.npy").string();
  save_npy(first, arange(0, 6, 1).reshape({3, 2}));
  save_npy(second, arange(6, 10, 1).reshape({2, 2}));
  const auto rows = data::npy({first, second});
  Longs firsts;
  for (const Array &x : rows)
    firsts.push_back(longs(x)[0]);
  EXPECT_THAT(firsts, ElementsAre(0, 2, 4, 6, 8));
  auto cursor = rows.cursor();
  cursor.seek(0, 4);
  EXPECT_THAT(longs(*cursor.next()), ElementsAre(8, 9));
}

TEST_F(DataFiles, RowsOfTablesAreArrays) {
  const std::string first = write("a.csv", "x,y\n1,2\n3,4\n"), second = write("b.csv", "x,y\n5,6\n");
  const auto rows = data::csv({first, second}, {.skip_rows = 1});
  EXPECT_EQ(rows.size(), 3);
  for (const Array &x : rows | data::batch(3))
    EXPECT_THAT(floats(x.reshape({-1})), ElementsAre(1, 2, 3, 4, 5, 6));
}

//===----------------------------------------------------------------------===//
// Well-known sets
//===----------------------------------------------------------------------===//

TEST_F(DataFiles, MnistIsReadFromItsFourFiles) {
  const std::string pixels(2 * 28 * 28, '\xff');
  const std::string images = bigEndian(0x803) + bigEndian(2) + bigEndian(28) + bigEndian(28) + pixels;
  const std::string labels = bigEndian(0x801) + bigEndian(2) + std::string("\x03\x09", 2);
  write("train-images-idx3-ubyte", images);
  write("train-labels-idx1-ubyte.gz", gzipped(labels));
  write("t10k-images-idx3-ubyte.gz", gzipped(images));
  const std::string missing = errorOf([&] { datasets::mnist(folder_.string()); });
  EXPECT_THAT(missing, HasSubstr("datasets::mnist: expected the file t10k-labels-idx1-ubyte (or "
                                 "t10k-labels-idx1-ubyte.gz), which is not there"));
  EXPECT_THAT(missing, HasSubstr("source: \"The MNIST database of handwritten digits\""));
  write("t10k-labels-idx1-ubyte", labels);
  const auto [training, test] = datasets::fashion_mnist(folder_.string());
  EXPECT_EQ(training.images.shape(), (Shape{2, 28, 28}));
  EXPECT_EQ(number(min(training.images)), 1.0f);
  EXPECT_THAT(longs(test.labels), ElementsAre(3, 9));
  write("t10k-labels-idx1-ubyte", bigEndian(0x801) + bigEndian(1) + "\x03");
  EXPECT_THAT(errorOf([&] { datasets::mnist(folder_.string()); }),
              HasSubstr("expected as many labels as images, got u8[1] and u8[2, 28, 28]"));
}

TEST_F(DataFiles, CifarHasItsChannelsLast) {
  std::string image = "\x05";
  for (char plane : {'\0', '\xff', '\x33'})
    image += std::string(1024, plane);
  for (int i = 1; i <= 5; ++i)
    write("data_batch_" + std::to_string(i) + ".bin", image + image);
  EXPECT_THAT(errorOf([&] { datasets::cifar10(folder_.string()); }), HasSubstr("expected the file test_batch.bin"));
  write("test_batch.bin", image);
  const auto [training, test] = datasets::cifar10(folder_.string());
  EXPECT_EQ(training.images.shape(), (Shape{10, 32, 32, 3}));
  EXPECT_THAT(floats(test.images[{0, 7, 7}]), ElementsAre(0.0f, 1.0f, 0x33 / 255.0f));
  EXPECT_EQ(test.labels.item<int>(), 5);
  write("test_batch.bin", image + "x");
  EXPECT_THAT(errorOf([&] { datasets::cifar10(folder_.string()); }), HasSubstr("expected images of 3073 bytes"));
}
