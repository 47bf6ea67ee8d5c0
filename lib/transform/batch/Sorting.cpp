//===- Sorting.cpp - batching of sorts ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

void batchSortKeys(BatchCall &call) {
  const SortKeysAttrs a = SortKeysAttrs::read(call.attributes);
  std::vector<Array> all;
  for (size_t i = 0; i < call.operands.size(); ++i)
    all.push_back(call.front(static_cast<int>(i)));
  for (Array &sorted : sort_keys(all, a.axis + 1, static_cast<int>(a.keys), a.descending, call.at))
    call.result(std::move(sorted));
}

void batchArgsort(BatchCall &call) {
  const ArgsortAttrs a = ArgsortAttrs::read(call.attributes);
  call.result(argsort(call.front(), a.axis + 1, a.descending));
}

void batchFlatnonzero(BatchCall &call) {
  FlatnonzeroAttrs a = FlatnonzeroAttrs::read(call.attributes);
  ++a.batching_dims;
  AttrWriter words;
  a.write(words);
  call.result(bindOne(OpCode::flatnonzero, std::initializer_list<detail::Value *>{call.front().value()}, words.words(),
                      call.at));
}

} // namespace tenon
