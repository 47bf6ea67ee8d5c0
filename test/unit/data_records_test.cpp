//===- data_records_test.cpp - writing TFRecord files -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/ScratchFile.h"

#include <tenon/data.h>

#include <gmock/gmock.h>

using namespace tenon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
class RecordWriter : public tenon::testing::ScratchFile {
protected:
  std::vector<std::string> records() {
    std::vector<std::string> result;
    for (const std::string &record : data::tfrecord(path_))
      result.push_back(record);
    return result;
  }
};
} // namespace

TEST_F(RecordWriter, WritesWhatIsRead) {
  const std::string large(100000, 'x'), zeros(3, '\0');
  data::TFRecordWriter writer(path_);
  writer.write("one");
  writer.write("");
  writer.write(large);
  writer.write(zeros);
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer.close();
  EXPECT_THAT(records(), ElementsAre("one", "", large, zeros));
  EXPECT_THAT(errorOf([&] { writer.write("more"); }),
              HasSubstr("expected an open file, got one that close() has ended"));
}

TEST_F(RecordWriter, HasTheBytesOfTensorFlow) {
  data::TFRecordWriter(path_).write("hello");
  // With tf.io.TFRecordWriter: 05 00 00 00 00 00 00 00, masked CRC-32C, hello, masked CRC-32C.
  const std::string bytes = get();
  ASSERT_EQ(bytes.size(), 21u);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\5\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(12, 5), "hello");
  uint32_t crc;
  std::memcpy(&crc, bytes.data() + 17, sizeof(crc));
  // CRC-32C of "hello" is 0x9a71bb4c; ((crc >> 15) | (crc << 17)) + 0xa282ead8.
  EXPECT_EQ(crc, ((0x9a71bb4cu >> 15) | (0x9a71bb4cu << 17)) + 0xa282ead8u);
}

TEST_F(RecordWriter, CutFilesAreErrorsThatNameTheFile) {
  {
    data::TFRecordWriter writer(path_);
    writer.write("a record");
  }
  const std::string bytes = get();
  for (size_t length = 1; length < bytes.size(); ++length)
    EXPECT_THAT(errorOf(bytes.substr(0, length), [&] { records(); }), HasSubstr("file: PATH")) << length;
}

TEST_F(RecordWriter, AnExceptionLeavesTheFileBefore) {
  put("before");
  try {
    data::TFRecordWriter writer(path_);
    writer.write("half");
    throw std::runtime_error("stop");
  } catch (const std::runtime_error &) {
  }
  EXPECT_EQ(get(), "before");
  EXPECT_THAT(errorOf([] { data::TFRecordWriter("/nowhere/x"); }), HasSubstr("cannot create a file"));
}
