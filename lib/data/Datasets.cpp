//===- Datasets.cpp - well-known data sets ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/File.h"
#include "lib/data/Digits.h"
#include "lib/program/OutsideOfPrograms.h"

#include <tenon/datasets.h>
#include <tenon/io.h>
#include <tenon/ops.h>

#include <filesystem>

using namespace tenon;
namespace fs = std::filesystem;

/// Images of u8 as f32 in [0, 1], labels as i32.
static datasets::Split scaled(const Array &images, const Array &labels) {
  return {astype(images, f32) / 255.0f, astype(labels, i32)};
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// The elements of an IDX file of u8 with so many axes, which is known to be whole.
static Array bytesOf(std::span<const std::byte> file, size_t axes) {
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t dim = 0;
    for (size_t i = 0; i < 4; ++i)
      dim = dim << 8 | std::to_integer<int64_t>(file[4 + 4 * axis + i]);
    dims.push_back(dim);
  }
  const auto *elements = reinterpret_cast<const uint8_t *>(file.data()) + 4 + 4 * axes;
  return Array(std::span(elements, file.size() - 4 - 4 * axes), Shape(dims));
}

static datasets::Split digitsOf(std::span<const std::byte> images, std::span<const std::byte> labels, int64_t size) {
  datasets::Split split = scaled(bytesOf(images, 3), bytesOf(labels, 1));
  if (size != split.images.shape()[1].raw()) {
    const Array channels = expand_dims(split.images, -1);
    split.images = squeeze(image_resize(channels, {size, size}, {.method = ResizeMethod::linear}), -1);
  }
  return split;
}

datasets::TrainTest datasets::digits(DigitsOptions options, Location at) {
  if (options.size < 8)
    throw Error("datasets::digits: expected a size of at least 8, got " + std::to_string(options.size), at);
  const tenon::detail::OutsideOfPrograms outside;
  const data::detail::DigitFiles files = data::detail::digitFiles();
  return {digitsOf(files.trainImages, files.trainLabels, options.size),
          digitsOf(files.testImages, files.testLabels, options.size)};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What an Error says of a set whose files are missing.
struct Source {
  const char *name;
  /// Where people get it.
  const char *place;
};

[[noreturn]] static void throwMissing(const Source &source, const std::string &missing, const std::string &folder,
                                      Location at) {
  throw Error(std::string(source.name) + ": expected the file " + missing +
                  ", which is not there\n  folder: " + folder + "\n  source: " + source.place,
              at);
}

static Array loadIdx(const Source &source, const fs::path &folder, const std::string &file, const Shape &shape,
                     Location at) {
  const fs::path path = folder / file;
  if (!fs::exists(path) && !fs::exists(path.string() + ".gz"))
    throwMissing(source, file + " (or " + file + ".gz)", folder.string(), at);
  Array array = load_idx(path.string(), at);
  bool isAlike = array.dtype() == u8 && array.ndim() == shape.rank();
  for (int axis = 1; isAlike && axis < shape.rank(); ++axis)
    isAlike = array.shape()[axis].raw() == shape[axis].raw();
  if (!isAlike)
    throw Error(std::string(source.name) + ": expected " + tenon::detail::describe(u8, shape) + " in a file, got " +
                    tenon::detail::describe(array.dtype(), array.shape()) + "\n  file: " + path.string(),
                at);
  return array;
}

static datasets::Split loadSplit(const Source &source, const std::string &folder, const std::string &part,
                                 Location at) {
  const Array images = loadIdx(source, folder, part + "-images-idx3-ubyte", {"images", 28, 28}, at);
  const Array labels = loadIdx(source, folder, part + "-labels-idx1-ubyte", {"images"}, at);
  if (images.shape()[0].raw() != labels.shape()[0].raw())
    throw Error(std::string(source.name) + ": expected as many labels as images, got " +
                    tenon::detail::describe(labels.dtype(), labels.shape()) + " and " +
                    tenon::detail::describe(images.dtype(), images.shape()) + "\n  folder: " + folder,
                at);
  return scaled(images, labels);
}

static datasets::TrainTest loadMnist(const Source &source, const std::string &folder, Location at) {
  const tenon::detail::OutsideOfPrograms outside;
  return {loadSplit(source, folder, "train", at), loadSplit(source, folder, "t10k", at)};
}

datasets::TrainTest datasets::mnist(const std::string &folder, Location at) {
  return loadMnist({"datasets::mnist", "\"The MNIST database of handwritten digits\" by Y. LeCun, C. Cortes and C. "
                                       "Burges: its page, or copies of its four files, as PyTorch's torchvision "
                                       "downloads them"},
                   folder, at);
}

datasets::TrainTest datasets::fashion_mnist(const std::string &folder, Location at) {
  return loadMnist({"datasets::fashion_mnist", "the folder data/fashion of Zalando Research's repository "
                                               "\"fashion-mnist\" on GitHub"},
                   folder, at);
}

/// One of CIFAR-10's files: images of a byte for the label, then the planes red, green and blue.
static std::pair<Array, Array> loadCifar(const fs::path &path) {
  constexpr size_t size = 1 + 3 * 32 * 32;
  tenon::detail::InputFile file("datasets::cifar10", path.string());
  if (file.size() == 0 || file.size() % size != 0)
    file.fail("expected images of " + std::to_string(size) + " bytes, got a file of " + std::to_string(file.size()) +
              " bytes");
  std::vector<uint8_t> bytes(file.size());
  file.read(std::as_writable_bytes(std::span(bytes)), "images");
  const auto count = static_cast<int64_t>(bytes.size() / size);
  const Array images(std::span<const uint8_t>(bytes), {count, static_cast<int64_t>(size)});
  for (int64_t i = 0; i < count; ++i)
    if (const unsigned label = bytes[static_cast<size_t>(i) * size]; label > 9)
      file.fail("expected labels from 0 to 9, got " + std::to_string(label) + " for image " + std::to_string(i));
  const auto whole = static_cast<int64_t>(size);
  return {slice(images, {0, 1}, {count, whole}).reshape({count, 3, 32, 32}),
          slice(images, {0, 0}, {count, 1}).reshape({count})};
}

datasets::TrainTest datasets::cifar10(const std::string &folder, Location at) {
  const Source source{"datasets::cifar10", "the page \"The CIFAR-10 dataset\" of A. Krizhevsky at the University of "
                                           "Toronto: the binary version, unpacked"};
  const tenon::detail::OutsideOfPrograms outside;
  const fs::path inner = fs::path(folder) / "cifar-10-batches-bin";
  const fs::path from = fs::is_directory(inner) ? inner : fs::path(folder);
  auto load = [&](const std::vector<std::string> &files) {
    std::vector<Array> images, labels;
    for (const std::string &file : files) {
      if (!fs::exists(from / file))
        throwMissing(source, file, from.string(), at);
      auto [pixels, classes] = tenon::detail::placed(at, [&] { return loadCifar(from / file); });
      images.push_back(std::move(pixels));
      labels.push_back(std::move(classes));
    }
    return scaled(transpose(concatenate(images), {0, 2, 3, 1}), concatenate(labels));
  };
  return {load({"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}),
          load({"test_batch.bin"})};
}
