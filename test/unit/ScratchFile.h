//===- ScratchFile.h - a temporary file for each test, and expected files ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>
#include <tenon/error.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::testing {

/// Gives each test a temporary folder, and the path of a file in it.
class ScratchFile : public ::testing::Test {
protected:
  ScratchFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tenon-file-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = (folder_ / "file").string();
  }
  ~ScratchFile() override { std::filesystem::remove_all(folder_); }

  void put(const std::string &bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string get() const {
    std::ostringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }

  /// The text of the Error that `load` throws, with PATH for the path and without the place; "no error" if it throws
  /// none.
  template <class Load>
  std::string errorOf(const Load &load) const {
    try {
      load();
    } catch (const Error &error) {
      std::string text = error.what();
      text = text.substr(0, text.find("\n  at "));
      const size_t at = text.find(path_);
      return at == std::string::npos ? "no path: " + text : text.replace(at, path_.size(), "PATH");
    }
    return "no error";
  }
  template <class Load>
  std::string errorOf(const std::string &bytes, const Load &load) {
    put(bytes);
    return errorOf(load);
  }

  /// Expects an Error with the path for the file cut at each length, and an Error for one byte more.
  template <class Load>
  void expectNoPartIsRead(const std::string &bytes, const Load &load) {
    put(bytes);
    for (size_t length = bytes.size(); length-- > 0;) {
      std::filesystem::resize_file(path_, length);
      const std::string error = errorOf(load);
      ASSERT_NE(error.find("\n  file: PATH"), std::string::npos) << "at " << length << ": " << error;
      ASSERT_NE(error.find("expected"), std::string::npos) << error;
    }
    EXPECT_NE(errorOf(bytes + 'x', load), "no error");
  }

  /// Changes up to three bytes, `rounds` times. Expects that `load` succeeds or throws an Error with the path; returns
  /// how often it succeeds.
  template <class Load>
  int readsOfChanged(const std::string &bytes, int rounds, const Load &load) {
    std::mt19937 random(7);
    int reads = 0;
    put(bytes);
    for (int round = 0; round < rounds; ++round) {
      std::string changed = bytes;
      for (int flips = 1 + random() % 3; flips > 0; --flips)
        changed[random() % changed.size()] = static_cast<char>(random());
      // In place: emptying the file first costs a millisecond.
      std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << changed;
      try {
        load();
        ++reads;
      } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find("\n  file: " + path_), std::string::npos) << error.what();
      }
    }
    return reads;
  }

  /// Runs `write` in child processes, each killed (by `callsUntilDeath`) at a later call of write(). Expects that the
  /// file then has its old contents, or all of the new ones.
  template <class Write>
  void expectOldOrNew(int &callsUntilDeath, const Write &write) {
    write();
    const std::string after = get(), before = "the old file";
    for (int calls = 1; calls < 100; ++calls) {
      put(before);
      const pid_t child = fork();
      if (child == 0) {
        callsUntilDeath = calls;
        write();
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status)) {
        EXPECT_EQ(get(), after);
        EXPECT_GT(calls, 1);
        return;
      }
      ASSERT_EQ(WTERMSIG(status), SIGKILL);
      ASSERT_EQ(get(), before) << "killed in call " << calls;
    }
    ADD_FAILURE() << "it never ends";
  }

  std::filesystem::path folder_;
  std::string path_;
};

/// The row-major bytes of an array.
inline std::string bytesOf(const Array &array) {
  std::string bytes;
  detail::visitDtype(array.dtype(), [&]<Dtype D>() {
    using T = typename detail::ElementOf<D>::type;
    for (const T &element : array.elements<T>())
      bytes.append(reinterpret_cast<const char *>(&element), sizeof element);
  });
  return bytes;
}

inline std::vector<int64_t> dimsOf(const Array &array) {
  std::vector<int64_t> dims;
  for (Dim dim : array.shape())
    dims.push_back(dim.raw());
  return dims;
}

/// Makes an array of row-major bytes.
inline Array arrayOf(Dtype dtype, const std::vector<int64_t> &dims, const std::string &bytes) {
  return detail::visitDtype(dtype, [&]<Dtype D>() {
    using T = typename detail::ElementOf<D>::type;
    return Array(std::span(reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)), Shape(dims));
  });
}

inline Dtype dtypeNamed(const std::string &name) {
  for (int i = 0; i < dtype_count; ++i)
    if (short_name(static_cast<Dtype>(i)) == name)
      return static_cast<Dtype>(i);
  ADD_FAILURE() << "no dtype " << name;
  return f32;
}

/// Sizes with commas between them; "-" of a scalar.
inline std::vector<int64_t> dimsNamed(const std::string &text) {
  std::vector<int64_t> dims;
  std::istringstream sizes(text);
  for (std::string size; text != "-" && std::getline(sizes, size, ',');)
    dims.push_back(std::stoll(size));
  return dims;
}

/// A line of interchange_goldens.txt.
struct ArchiveGolden {
  struct Member {
    Dtype dtype;
    std::vector<int64_t> dims;
    std::string bytes;
  };
  std::string kind, label, file;
  std::map<std::string, Member> arrays;
};

inline std::string fromHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; hex != "-" && i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// The lines whose kind begins with `kind`.
inline std::vector<ArchiveGolden> archiveGoldens(std::string_view kind) {
  std::vector<ArchiveGolden> result;
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "interchange_goldens.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    ArchiveGolden golden;
    std::string file, name, dtype, dims, bytes;
    words >> golden.kind >> golden.label >> file;
    if (!golden.kind.starts_with(kind))
      continue;
    golden.file = fromHex(file);
    while (words >> name >> dtype >> dims >> bytes) {
      golden.arrays[name] = {dtypeNamed(dtype), dimsNamed(dims), fromHex(bytes)};
    }
    result.push_back(golden);
  }
  EXPECT_FALSE(result.empty());
  return result;
}

inline std::map<std::string, Array> arraysOf(const ArchiveGolden &golden) {
  std::map<std::string, Array> arrays;
  for (const auto &[name, member] : golden.arrays)
    arrays[name] = arrayOf(member.dtype, member.dims, member.bytes);
  return arrays;
}

inline void expectEqual(const std::map<std::string, Array> &got, const std::map<std::string, Array> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto &[name, array] : expected) {
    SCOPED_TRACE(name);
    auto found = got.find(name);
    ASSERT_NE(found, got.end());
    EXPECT_EQ(found->second.dtype(), array.dtype());
    EXPECT_EQ(dimsOf(found->second), dimsOf(array));
    EXPECT_EQ(bytesOf(found->second), bytesOf(array));
  }
}

} // namespace tenon::testing
