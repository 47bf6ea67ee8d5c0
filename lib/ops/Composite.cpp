//===- Composite.cpp - composites as one op, and what stands for them -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"

#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/Bytes.h"
#include "lib/trace/Record.h"
#include "lib/trace/Symbols.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// What was recorded
//===----------------------------------------------------------------------===//

namespace {
/// A composite on operands of some types.
struct Decomposition {
  /// The id, the attributes, the types.
  std::vector<int64_t> key;
  /// Of the op.
  std::vector<int64_t> attributes;
  TraceRef region;
  std::vector<Type> results;
};
using DecompositionRef = std::shared_ptr<const Decomposition>;

struct DecompositionCache {
  rt::ForkLock lock{rt::LockOrder::decompositions};
  std::unordered_multimap<uint64_t, DecompositionRef> byHash;
  uint64_t made = 0;
};
} // namespace

static thread_local constinit bool unknownSizes = false;

bool detail::sizesAreUnknown() { return unknownSizes; }

namespace {
class AsOfUnknownSizes {
public:
  explicit AsOfUnknownSizes(bool are) : before_(std::exchange(unknownSizes, are)) {}
  ~AsOfUnknownSizes() { unknownSizes = before_; }
  AsOfUnknownSizes(const AsOfUnknownSizes &) = delete;

private:
  bool before_;
};
} // namespace

/// Eager programs have few shapes; beyond this many, all are forgotten.
static constexpr size_t mostDecompositions = 4096;

static DecompositionCache &cache() {
  static constinit rt::Lasting<DecompositionCache> instance;
  return instance.get();
}

static void writeType(AttrWriter &out, Dtype dtype, Device device, std::span<const Dim> dims) {
  out.writeInt(static_cast<int64_t>(dtype) | int64_t(device.code()) << 8);
  out.writeDims(dims);
}
static void writeType(AttrWriter &out, const Value *value) {
  writeType(out, value->dtype(), value->device(), {value->dims(), static_cast<size_t>(value->rank())});
}
static void writeType(AttrWriter &out, const Type &type) {
  writeType(out, type.dtype, type.device, {type.shape.begin(), type.shape.size()});
}

static DecompositionRef find(AttrWords key, uint64_t hash) {
  DecompositionCache &all = cache();
  std::lock_guard lock(all.lock);
  auto [begin, end] = all.byHash.equal_range(hash);
  for (auto place = begin; place != end; ++place)
    if (std::ranges::equal(place->second->key, key))
      return place->second;
  return nullptr;
}

/// Records what the composite is on operands of these types. The ops have no line:
/// they stand for all places where it is used.
static TraceRef record(const CompositeInfo &info, AttrWords attributes, std::span<const Type> types) {
  const Decompose decompose = decompositions[static_cast<size_t>(idOf(info))];
  Record::Result recorded = recordFunction(
      info.name, types, [&](std::span<const Array> operands) { return decompose(operands, attributes); });
  if (!recorded.captures.empty())
    throw InternalError(std::string(info.name) + ": a decomposition that captures an array");
  TraceBody body = recorded.trace->body();
  body.opLocations.clear();
  body.locations.clear();
  return Trace::make(std::move(body));
}

/// The decomposition on `operands`, values or types; an Error where there is none.
/// `areUnknown`: as for sizes of which nothing is known.
template <class T>
static DecompositionRef decompositionOf(const CompositeInfo &info, AttrWords attributes, std::span<const T> operands,
                                        bool areUnknown = false) {
  AttrWriter key;
  key.writeInt(static_cast<int64_t>(idOf(info)));
  key.writeBool(areUnknown);
  key.writeNamed(attributes);
  for (const T &operand : operands)
    writeType(key, operand);
  const uint64_t hash = hashBytes(std::as_bytes(key.words()));
  if (DecompositionRef known = find(key.words(), hash))
    return known;
  std::vector<Type> types;
  for (const T &operand : operands) {
    if constexpr (std::is_pointer_v<T>)
      types.push_back(typeOf(operand));
    else
      types.push_back(operand);
  }
  auto made = std::make_shared<Decomposition>();
  made->key.assign(key.words().begin(), key.words().end());
  AttrWriter words;
  CompositeAttrs{info.name, attributes}.write(words);
  made->attributes.assign(words.words().begin(), words.words().end());
  {
    const AsOfUnknownSizes scope(areUnknown);
    made->region = record(info, attributes, types);
  }
  for (const ValueId output : made->region->outputs())
    made->results.push_back(made->region->type(output));
  DecompositionCache &all = cache();
  std::lock_guard lock(all.lock);
  ++all.made;
  if (all.byHash.size() >= mostDecompositions)
    all.byHash.clear();
  all.byHash.emplace(hash, made);
  return made;
}

uint64_t detail::decompositionsMade() {
  DecompositionCache &all = cache();
  std::lock_guard lock(all.lock);
  return all.made;
}

//===----------------------------------------------------------------------===//
// What a region is
//===----------------------------------------------------------------------===//

/// The types with a symbol for each size that one may have.
static std::vector<Type> withSymbols(std::span<Value *const> operands) {
  std::vector<Type> types;
  std::vector<int64_t> sizes;
  for (const Value *operand : operands) {
    types.push_back(typeOf(operand));
    for (Dim &dim : types.back().shape) {
      if (!dim.is_static() || dim.raw() < 2)
        continue;
      const size_t number = static_cast<size_t>(std::ranges::find(sizes, dim.raw()) - sizes.begin());
      if (number == sizes.size())
        sizes.push_back(dim.raw());
      dim = Dim("size" + std::to_string(number), Location());
    }
  }
  return types;
}

/// Whether the region is what is recorded for these operands: for their sizes, or
/// for symbols, or expressions of symbols, that have got these sizes since.
static bool isDecompositionOf(const CompositeInfo &info, AttrWords attributes, std::span<Value *const> operands,
                              const Trace &region) {
  const DecompositionRef known = decompositionOf(info, attributes, operands);
  if (known->region.get() == &region || *known->region == region)
    return true;
  if (*decompositionOf(info, attributes, operands, true)->region == region)
    return true;
  const std::vector<Type> symbols = withSymbols(operands);
  std::vector<Type> types;
  for (const Value *operand : operands)
    types.push_back(typeOf(operand));
  const TraceRef later = instantiate(*decompositionOf(info, attributes, std::span<const Type>(symbols))->region, types);
  return later && *later == region;
}

const CompositeInfo *tenon::registeredComposite(const Bind &bind) {
  const CompositeAttrs attributes = CompositeAttrs::read(bind.attributes);
  const CompositeInfo *info = findComposite(attributes.name);
  if (!info || bind.isDecomposition)
    return info;
  if (bind.operands.size() != info->operands.size() ||
      std::ranges::any_of(bind.operands, [&](const Value *x) { return !contains(info->dtypes, x->dtype()); }))
    return nullptr;
  try {
    return isDecompositionOf(*info, attributes.composite_attributes, bind.operands, *bind.regions[0]) ? info : nullptr;
  } catch (const InternalError &) {
    throw;
  } catch (const Error &) {
    return nullptr; // the composite is not made of anything on these operands
  }
}

void tenon::openComposite(const Bind &bind, std::span<Array> results) {
  // The ops of what is recorded once have no place of their own.
  const LocationScope scope("", bind.at);
  std::vector<Array> operands;
  for (Value *operand : bind.operands)
    operands.push_back(Array::share(operand));
  std::vector<Array> outputs = evaluateTrace(*bind.regions[0], operands);
  std::ranges::move(outputs, results.begin());
}

static void bindDecomposition(const Decomposition &known, std::span<Value *const> operands, Location at,
                              std::span<Array> results) {
  bind({.op = OpCode::composite,
        .operands = operands,
        .attributes = known.attributes,
        .regions = std::span(&known.region, 1),
        .types = known.results,
        .at = at,
        .isDecomposition = true},
       results);
}

Array detail::bindComposite(CompositeId id, std::initializer_list<Value *> operands, AttrWords attributes,
                            Location at) {
  const std::span<Value *const> values(operands.begin(), operands.size());
  const DecompositionRef known = decompositionOf(compositeInfo(id), attributes, values);
  Array result;
  bindDecomposition(*known, values, at, std::span(&result, 1));
  return result;
}

std::vector<Array> detail::bindCompositeResults(CompositeId id, std::initializer_list<Value *> operands,
                                                AttrWords attributes, Location at) {
  const std::span<Value *const> values(operands.begin(), operands.size());
  const DecompositionRef known = decompositionOf(compositeInfo(id), attributes, values);
  std::vector<Array> results(known->results.size());
  bindDecomposition(*known, values, at, results);
  return results;
}
