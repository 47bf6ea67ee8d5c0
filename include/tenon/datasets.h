//===- datasets.h - well-known data sets ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are f32 in [0, 1], labels i32. A file that is missing is an Error that says where people get it.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <string>

namespace tenon::datasets {

struct Split {
  Array images, labels;
};
struct TrainTest {
  Split train, test;
};

struct DigitsOptions {
  /// Height and width of the images: 8 as they were scanned, or larger, by bilinear interpolation.
  int64_t size = 8;
};
/// Handwritten digits, which are part of Tenon: 3,823 images for training, f32[3823, 8, 8], and 1,797 of other writers
/// for testing; labels 0 to 9. From the UCI set "Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak).
TrainTest digits(DigitsOptions options = {}, Location at = Location::current());
/// MNIST: 60,000 and 10,000 images, f32[n, 28, 28]. Reads `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
/// `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`, or these with `.gz`, from `folder`.
TrainTest mnist(const std::string &folder, Location at = Location::current());
/// Fashion-MNIST: pictures of clothes in ten classes, in files of MNIST's names and sizes.
TrainTest fashion_mnist(const std::string &folder, Location at = Location::current());
/// CIFAR-10: 50,000 and 10,000 photographs, f32[n, 32, 32, 3]. Reads the binary version, `data_batch_1.bin` to
/// `data_batch_5.bin` and `test_batch.bin`, from `folder` or its folder `cifar-10-batches-bin`.
TrainTest cifar10(const std::string &folder, Location at = Location::current());

} // namespace tenon::datasets
