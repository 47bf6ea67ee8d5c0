//===- dlpack.h - arrays from and for other frameworks -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack's structs, version 1, by which NumPy, PyTorch, JAX and others hand each other
// their elements without copying them. Its own header declares what is only named here:
// github.com/dmlc/dlpack. In Python they lie in capsules, "dltensor_versioned".
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

struct DLManagedTensorVersioned;
struct DLManagedTensor;

namespace tenon {

/// An array of the elements that `tensor` describes, on the CPU or in the host's memory for
/// a GPU, of one of Tenon's dtypes and any strides. They are not copied unless they are not
/// aligned as their type wants, and must not change while arrays use them, which only read
/// them; one that is a copy made for us (its flags say so) ops may write as our own. Takes
/// the tensor over, also if this throws: its deleter is called once, on whichever thread lets
/// go of the last array that uses the elements. An Error for another major version, device
/// or dtype.
Array from_dlpack(DLManagedTensorVersioned *tensor, Location at = Location::current());
/// The same from a producer older than version 1.
Array from_dlpack(DLManagedTensor *tensor, Location at = Location::current());

struct DlpackOptions {
  /// Elements of its own for who takes the tensor, which it may write, row-major; also
  /// from other devices than the CPU.
  bool copy = false;
};

/// The elements of x for another framework: of x itself, which the tensor keeps alive, and
/// read only, or a copy. Who takes the tensor calls its deleter, on any thread. An Error
/// inside jit and vmap, and without a copy for an array that is not on the CPU.
DLManagedTensorVersioned *to_dlpack(const Array &x, DlpackOptions options = {}, Location at = Location::current());
/// For a consumer older than version 1: always a copy, as it cannot be told to only read.
DLManagedTensor *to_dlpack_unversioned(const Array &x, Location at = Location::current());

} // namespace tenon
