//===- HostCall.cpp - C++ functions of the user's in programs --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/HostFunction.h"
#include "lib/trace/RegionOp.h"
#include "lib/tree/Arguments.h"

#include <tenon/host.h>

#include <atomic>
#include <memory>

using namespace tenon;
using namespace tenon::detail;

class detail::HostHandle {
public:
  explicit HostHandle(std::shared_ptr<const HostFunction> of) : function(std::move(of)) {}
  const std::shared_ptr<const HostFunction> function;
  std::atomic<unsigned> references = 1;
};
void detail::retain(HostHandle *handle) { handle->references.fetch_add(1, std::memory_order_relaxed); }
void detail::release(HostHandle *handle) {
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete handle;
}

HostRef detail::make_host_function(HostCallee call, void (*destroy)(void *), void *state,
                                   std::span<const std::byte> key) {
  return HostRef(new HostHandle(
      HostFunction::make(call, destroy, state, {reinterpret_cast<const char *>(key.data()), key.size()})));
}
HostRef detail::lasting_host_function(HostCallee call, void (*destroy)(void *), const void *key,
                                      void *(*make)(const void *), const void *from) {
  return HostRef(new HostHandle(HostFunction::lasting(call, destroy, key, make, from)));
}

void detail::empty_leaves(TreeRef tree) {
  for (Array *array : handlesOf(tree, true))
    *array = Array();
}
size_t detail::count_leaves(TreeRef tree) { return handlesOf(tree, true).size(); }
void detail::append_leaves(TreeRef tree, std::vector<Array> &out) {
  for (const Array *array : handlesOf(tree, true))
    out.push_back(*array);
}

std::vector<Array> detail::run_host_call(const HostRef &function, std::span<const TreeRef> trees,
                                         const std::vector<TensorSpec> &specs, size_t count, bool isBatched,
                                         Location at) {
  if (count != any_count && count != specs.size())
    throw Error("host_call: expected a TensorSpec for each of the " + std::to_string(count) +
                    " arrays of what the function returns, got " + std::to_string(specs.size()),
                userLocation(at));
  const Arguments arguments(trees, true);
  const std::vector<Array> arrays = arguments.arrays();
  std::vector<Value *> operands;
  for (const Array &array : arrays) {
    if (!array.has_value())
      throw Error("host_call: expected an array as " + arguments.name(operands.size()) + ", got an empty Array",
                  userLocation(at));
    operands.push_back(array.value());
  }
  std::string dtypes;
  std::vector<int64_t> ranks;
  std::vector<Dim> sizes;
  for (const TensorSpec &spec : specs) {
    dtypes += (dtypes.empty() ? "" : " ") + std::string(short_name(spec.dtype));
    ranks.push_back(spec.shape.rank());
    sizes.insert(sizes.end(), spec.shape.begin(), spec.shape.end());
  }
  const Device device = operands.empty() ? default_device() : operands[0]->device();
  const HostCallAttrs attributes{function.get()->function->id(), isBatched, dtypes, ranks, sizes, device};
  return bindInferred(OpCode::host_call, operands, wordsOf(attributes), {}, at);
}
