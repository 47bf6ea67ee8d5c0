//===- numpy_exchange.cpp - arrays for and from NumPy ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What numpy_test.py calls. Arrays and tensors are addresses there.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cstring>
#include <thread>

using namespace tenon;

/// 0 to 11 in three rows: "dense", or a view of it.
extern "C" Array *exchange_make(const char *layout, const char *dtype) {
  Dtype of = f32;
  for (int i = 0; i < dtype_count; ++i)
    if (name(static_cast<Dtype>(i)) == dtype)
      of = static_cast<Dtype>(i);
  const Array table = astype(reshape(arange(12), {3, 4}), of);
  const std::string_view wanted = layout;
  if (wanted == "transposed")
    return new Array(transpose(table));
  if (wanted == "flipped")
    return new Array(table[{slice(none, none, -1), slice(none, none, -2)}]);
  if (wanted == "repeated")
    return new Array(broadcast_to(table[0], {2, 4}));
  if (wanted == "empty")
    return new Array(table[{slice(0, 0), _}]);
  if (wanted == "scalar")
    return new Array(table[{1, 2}]);
  return new Array(table);
}

/// Null, and why, if it is refused.
extern "C" Array *exchange_import(void *tensor, bool versioned, char *why, size_t room) {
  try {
    return new Array(versioned ? from_dlpack(static_cast<DLManagedTensorVersioned *>(tensor))
                               : from_dlpack(static_cast<DLManagedTensor *>(tensor)));
  } catch (const Error &error) {
    std::strncpy(why, error.message().c_str(), room - 1);
    return nullptr;
  }
}

extern "C" void *exchange_export(const Array *array, bool versioned, bool copy) {
  return versioned ? static_cast<void *>(to_dlpack(*array, {.copy = copy})) : to_dlpack_unversioned(*array);
}

extern "C" const void *exchange_data(const Array *array) {
  const void *data = nullptr;
  detail::visitDtype(array->dtype(), [&]<Dtype D>() {
    for (const auto &element : array->elements<typename detail::ElementOf<D>::type>()) {
      data = &element;
      break;
    }
  });
  return data;
}

/// Of the real parts.
extern "C" double exchange_sum(const Array *array) {
  double sum = 0;
  detail::visitDtype(array->dtype(), [&]<Dtype D>() {
    for (const auto &element : array->elements<typename detail::ElementOf<D>::type>()) {
      if constexpr (kind(D) == Kind::complex)
        sum += static_cast<double>(element.real);
      else
        sum += static_cast<double>(element);
    }
  });
  return sum;
}

extern "C" void exchange_save(const Array *array, const char *path, bool compressed) {
  save_npz(path,
           {{"gr\xc3\xb6\xc3\x9f"
             "e",
             *array},
            {"sum/of it", Array(exchange_sum(array))}},
           {.compressed = compressed});
}

/// The member `x`.
extern "C" Array *exchange_load(const char *path) { return new Array(load_npz(path).at("x")); }

/// On a thread of its own, which knows nothing of Python.
extern "C" void exchange_free(Array *array) {
  std::thread([array] { delete array; }).join();
}
