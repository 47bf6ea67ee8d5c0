//===- DlpackAbi.h - the structs of DLPack ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary interface of DLPack 1.x, by its specification
// (dmlc.github.io/dlpack/latest/c_api.html). The names are those of its header,
// with which this one cannot be included.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tenon::detail::dlpack {

struct Version {
  uint32_t major, minor;
};

/// Those whose memory the host reads.
enum DeviceType : int32_t { cpu = 1, cudaHost = 3, rocmHost = 11 };

struct TensorDevice {
  int32_t type, id;
};

enum TypeCode : uint8_t {
  integer = 0,
  unsignedInteger = 1,
  floating = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6,
  float8e4m3fn = 10,
  float8e5m2 = 12,
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
  friend bool operator==(DataType, DataType) = default;
};

struct Tensor {
  void *data;
  TensorDevice device;
  int32_t rank;
  DataType type;
  /// `rank` sizes and strides, in elements; no strides: row-major without gaps.
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

/// Bits of the flags.
inline constexpr uint64_t readOnly = 1, isCopied = 2;

} // namespace tenon::detail::dlpack

struct DLManagedTensor {
  tenon::detail::dlpack::Tensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};

struct DLManagedTensorVersioned {
  /// Under another major version only this and the next two are where they are here.
  tenon::detail::dlpack::Version version;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  tenon::detail::dlpack::Tensor tensor;
};

static_assert(sizeof(tenon::detail::dlpack::Tensor) == 48 && sizeof(DLManagedTensor) == 64 &&
              sizeof(DLManagedTensorVersioned) == 80);
