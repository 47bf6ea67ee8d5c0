//===- dlpack.h - arrays from and for other frameworks -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack (version 1) exchanges arrays with NumPy, PyTorch, JAX and others without copying. Its structs are only
// declared here; their definitions are at github.com/dmlc/dlpack. Python wraps them in capsules,
// "dltensor_versioned".
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

struct DLManagedTensorVersioned;
struct DLManagedTensor;

namespace tenon {

/// Returns an array that shares the elements of `tensor`, which must be on the CPU (or in host memory for a GPU), of
/// a dtype of Tenon, with any strides. Elements that are not aligned for their type are copied. The elements must not
/// change while arrays use them; Tenon only reads them, or may reuse them if the tensor's flags mark it as a copy
/// made for the consumer. Takes ownership of the tensor, even if this throws: its deleter is called once, on
/// whichever thread releases the last array that uses the elements. An unsupported major version, device or dtype is
/// an Error.
Array from_dlpack(DLManagedTensorVersioned *tensor, Location at = Location::current());
/// from_dlpack for a producer older than version 1.
Array from_dlpack(DLManagedTensor *tensor, Location at = Location::current());

struct DlpackOptions {
  /// Copies the elements, row-major, so that the consumer may write them; works for arrays on any device.
  bool copy = false;
};

/// Exports x for another framework: shares its elements, read-only, and keeps them alive; or copies them. The
/// consumer calls the tensor's deleter, on any thread. An Error inside jit and vmap, and without a copy for an array
/// that is not on the CPU.
DLManagedTensorVersioned *to_dlpack(const Array &x, DlpackOptions options = {}, Location at = Location::current());
/// to_dlpack for a consumer older than version 1. Always copies, since old consumers cannot be told that the data is
/// read-only.
DLManagedTensor *to_dlpack_unversioned(const Array &x, Location at = Location::current());

} // namespace tenon
