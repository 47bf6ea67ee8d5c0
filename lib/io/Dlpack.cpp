//===- Dlpack.cpp - arrays from and for other frameworks ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/dlpack.h>

#include "lib/array/Buffer.h"
#include "lib/io/DlpackAbi.h"

#include <algorithm>
#include <memory>

using namespace tenon;
using namespace tenon::detail;

static dlpack::DataType typeOf(Dtype dtype) {
  const auto bits = static_cast<uint8_t>(8 * item_size(dtype));
  auto code = [&]() -> uint8_t {
    switch (dtype) {
    case Dtype::bool_:
      return dlpack::boolean;
    case Dtype::bf16:
      return dlpack::bfloat;
    case Dtype::f8e4m3fn:
      return dlpack::float8e4m3fn;
    case Dtype::f8e5m2:
      return dlpack::float8e5m2;
    default:
      break;
    }
    switch (kind(dtype)) {
    case Kind::complex:
      return dlpack::complex;
    case Kind::floating:
      return dlpack::floating;
    default:
      return is_unsigned(dtype) ? dlpack::unsignedInteger : dlpack::integer;
    }
  };
  return {code(), bits, 1};
}

static Dtype dtypeOf(dlpack::DataType type) {
  for (int i = 0; i < dtype_count; ++i)
    if (typeOf(static_cast<Dtype>(i)) == type)
      return static_cast<Dtype>(i);
  throw Error("expected elements of a dtype of Tenon, got type code " + std::to_string(type.code) + " of " +
              std::to_string(type.bits) + " bits" +
              (type.lanes == 1 ? "" : " in " + std::to_string(type.lanes) + " lanes"));
}

static ForeignMemory memoryOf(const dlpack::Tensor &tensor, std::span<Dim> dims) {
  if (const int32_t device = tensor.device.type;
      device != dlpack::cpu && device != dlpack::cudaHost && device != dlpack::rocmHost)
    throw Error("expected elements on the CPU (device type 1), got device type " + std::to_string(device));
  ForeignMemory memory{tensor.data, dtypeOf(tensor.type), {}, {}};
  if (tensor.rank < 0 || tensor.rank > max_rank)
    throw Error("expected at most " + std::to_string(max_rank) + " axes, got " + std::to_string(tensor.rank));
  const auto rank = static_cast<size_t>(tensor.rank);
  if (rank > 0 && !tensor.shape)
    throw Error("expected a shape of " + std::to_string(rank) + " axes, got null");
  for (size_t axis = 0; axis < rank; ++axis) {
    if (tensor.shape[axis] < 0)
      throw Error("expected sizes of at least 0, got " + std::to_string(tensor.shape[axis]));
    dims[axis] = Dim(tensor.shape[axis]);
  }
  memory.dims = dims.first(rank);
  if (tensor.strides)
    memory.strides = std::span<const int64_t>(tensor.strides, rank);
  if (memory.data)
    memory.data = static_cast<const std::byte *>(memory.data) + tensor.byteOffset;
  return memory;
}

/// Where a managed tensor says whether it is only read, or a copy of our own.
static bool isGivenUp(const DLManagedTensor &) { return false; }
static bool isGivenUp(const DLManagedTensorVersioned &managed) {
  return (managed.flags & (dlpack::isCopied | dlpack::readOnly)) == dlpack::isCopied;
}
static void checkVersion(const DLManagedTensor &) {}
static void checkVersion(const DLManagedTensorVersioned &managed) {
  if (managed.version.major != 1)
    throw Error("expected version 1 of DLPack, got " + std::to_string(managed.version.major) + "." +
                std::to_string(managed.version.minor));
}

template <class Managed>
static void give(void *managed) {
  if (auto *tensor = static_cast<Managed *>(managed); tensor->deleter)
    tensor->deleter(tensor);
}

template <class Managed>
static Array fromTensor(Managed *managed, Location at) {
  if (!managed)
    throw Error("from_dlpack: expected a tensor, got null", at);
  std::unique_ptr<Managed, void (*)(Managed *)> owner(managed, [](Managed *tensor) { give<Managed>(tensor); });
  ForeignMemory memory;
  Dim dims[max_rank];
  try {
    checkVersion(*managed);
    memory = memoryOf(managed->tensor, dims);
  } catch (const Error &error) {
    throw Error(std::string("from_dlpack: ") + error.what(), at);
  }
  memory.isGivenUp = isGivenUp(*managed);
  return foreignArray(memory, {give<Managed>, owner.release()}, "from_dlpack", at);
}

Array tenon::from_dlpack(DLManagedTensorVersioned *tensor, Location at) { return fromTensor(tensor, at); }
Array tenon::from_dlpack(DLManagedTensor *tensor, Location at) { return fromTensor(tensor, at); }

namespace {
/// What is handed out, and what it needs until its deleter is called.
template <class Managed>
struct Exported {
  Managed managed = {};
  Array array;
  int64_t dims[max_rank], strides[max_rank];
};
} // namespace

template <class Managed>
static Managed *toTensor(const Array &x, bool copy, Location at) {
  if (!x.has_value())
    throw Error("to_dlpack: expected an array, got an empty Array", at);
  Value *value = concrete(x.value(), "to_dlpack()", at);
  if (!copy && !value->isOn(Device::cpu))
    throw Error("to_dlpack: expected an array on cpu:0, got one on " + name(value->device()) +
                    "; to_device, or a copy, brings it there",
                at);
  auto exported = std::make_unique<Exported<Managed>>();
  exported->array = Array::share(value);
  if (copy) {
    const Array here = onHost(value, "to_dlpack()", at);
    exported->array =
        Array::adopt(makeBuffer(value->dtype(), std::span(value->dims(), size_t(value->rank())), Device::cpu, at));
    copyElements(here.value(), exported->array.value(), at);
  }
  const rt::View view = viewOf(exported->array.value());
  std::copy_n(view.dims, view.rank, exported->dims);
  std::copy_n(view.strides, view.rank, exported->strides);
  exported->managed.tensor = {view.data,      {dlpack::cpu, 0},  view.rank, typeOf(view.dtype),
                              exported->dims, exported->strides, 0};
  exported->managed.context = exported.get();
  exported->managed.deleter = [](Managed *managed) { delete static_cast<Exported<Managed> *>(managed->context); };
  return &exported.release()->managed;
}

DLManagedTensorVersioned *tenon::to_dlpack(const Array &x, DlpackOptions options, Location at) {
  auto *managed = toTensor<DLManagedTensorVersioned>(x, options.copy, at);
  managed->version = {1, 0};
  managed->flags = options.copy ? dlpack::isCopied : dlpack::readOnly;
  return managed;
}

DLManagedTensor *tenon::to_dlpack_unversioned(const Array &x, Location at) {
  return toTensor<DLManagedTensor>(x, true, at);
}
