//===- damage_test.cpp - damaged files of every format ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"
#include "TraceSamples.h"
#include "test/fuzz/BlobSeed.h"

#include "lib/trace/Trace.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::samples;
using namespace tenon::testing;

namespace {

class Damage : public ScratchFile {
protected:
  /// Calls `isUnnoticed` with copies of `whole`: one bit flipped in two bytes at some distance, two words
  /// exchanged, the end cut off. It says whether the copy was read as something else than `whole`.
  template <class F>
  void expectNoticed(const std::string &whole, size_t step, const F &isUnnoticed) {
    size_t tried = 0;
    auto expect = [&](const std::string &bad, const char *what, size_t at, size_t by) {
      ++tried;
      EXPECT_FALSE(isUnnoticed(bad)) << what << " at " << at << ", " << by;
    };
    for (const size_t distance : {1, 2, 4, 8, 12, 16, 24, 32, 64, 128})
      for (size_t at = 0; at + distance < whole.size(); at += step) {
        std::string bad = whole;
        for (const size_t place : {at, at + distance})
          bad[place] = static_cast<char>(bad[place] ^ 1 << at % 7);
        expect(bad, "two flips", at, distance);
      }
    for (const size_t width : {1, 4, 8})
      for (const size_t distance : {width, 2 * width, 4 * width})
        for (size_t at = 0; at + distance + width <= whole.size(); at += step) {
          std::string bad = whole;
          const auto from = bad.begin() + static_cast<std::ptrdiff_t>(at);
          std::swap_ranges(from, from + static_cast<std::ptrdiff_t>(width),
                           from + static_cast<std::ptrdiff_t>(distance));
          if (bad != whole)
            expect(bad, "exchanged words", at, distance);
        }
    for (size_t size = 0; size < whole.size(); size += step)
      expect(whole.substr(0, size), "cut off", size, 0);
    EXPECT_GT(tried, 10 * whole.size() / step);
  }

  /// The same with copies in a file: `read` throws, or gives whether what it read differs.
  template <class F>
  void expectNoticedInFile(const std::string &whole, size_t step, const F &read) {
    put(whole);
    ASSERT_FALSE(read());
    expectNoticed(whole, step, [&](const std::string &bad) {
      put(bad);
      try {
        return read();
      } catch (const Error &) {
        return false;
      }
    });
  }
};

TEST_F(Damage, OfAProgramBlob) {
  rt::BlobWriter writer = rt::testing::seedWriter();
  writer.text.resize(200, std::byte(0x90));
  const std::vector<std::byte> bytes = writer.finish();
  expectNoticed({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, 1, [](const std::string &bad) {
    std::string error;
    return bool(rt::BlobView::parse(std::as_bytes(std::span(bad)), error));
  });
}

TEST_F(Damage, OfATrace) {
  const TraceRef trace = samplesOf(opInfo(OpCode::composite), 6).front().trace;
  const std::vector<std::byte> bytes = packTrace(*trace);
  expectNoticed({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, 1, [](const std::string &bad) {
    try {
      unpackTrace(std::as_bytes(std::span(bad)), "f");
      return true;
    } catch (const Error &) {
      return false;
    }
  });
}

bool isSame(const Array &a, const Array &b) {
  return a.has_value() && a.dtype() == b.dtype() && dimsOf(a) == dimsOf(b) && bytesOf(a) == bytesOf(b);
}

TEST_F(Damage, OfACheckpoint) {
  const Array savedX = reshape(arange(12, {}, 1, f32), {3, 4}), savedY{7, 8, 9};
  Array x = savedX, y = savedY;
  int64_t step = 1234;
  Checkpoint checkpoint{{"x", x}, {"y", y}, {"step", step}};
  std::filesystem::copy_file(checkpoint.save((folder_ / "c").string()), path_);
  expectNoticedInFile(get(), 1, [&] {
    x = y = Array(); // takes any dtype and shape
    step = 0;
    const RestoreStatus status = checkpoint.restore(path_);
    status.assert_consumed();
    return !isSame(x, savedX) || !isSame(y, savedY) || step != 1234;
  });
}

TEST_F(Damage, OfAnNpz) {
  const Array saved = reshape(arange(48, {}, 1, f32), {6, 8});
  for (const bool compressed : {false, true}) {
    save_npz(path_, {{"x", saved}}, {.compressed = compressed});
    // The name has no checksum in that format.
    expectNoticedInFile(get(), 3, [&] {
      const NamedArrays arrays = load_npz(path_);
      return arrays.size() != 1 || !isSame(arrays.begin()->second, saved);
    });
  }
}

TEST_F(Damage, OfACompressedIdx) {
  std::string plain = {0, 0, 0x0c, 2, 0, 0, 0, 6, 0, 0, 0, 8};
  for (int i = 0; i < 48 * 4; ++i)
    plain += static_cast<char>(i * 7);
  put(plain);
  const Array saved = load_idx(path_);
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzwrite(file, plain.data(), static_cast<unsigned>(plain.size()));
  gzclose(file);
  expectNoticedInFile(get(), 1, [&] { return !isSame(load_idx(path_), saved); });
}

} // namespace
