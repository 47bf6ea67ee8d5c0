//===- InitialKeys.h - keys of initial values ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/key.h>
#include <tenon/variable.h>

namespace tenon::random {

/// The next key of the stream that the initial values of weights come from: made of the default generator's seed and
/// of how many weights have been built since tn::set_seed. It is not the default generator's stream, so that a weight
/// that is built later changes no other random number.
Key nextInitialKey();

/// The cell of the default generator: a stream as four words, those of the seed and of how many keys it has given.
const detail::CellHandle &defaultGeneratorCell();
/// The next key of such a stream, which moves on.
Key nextKey(Array &words, Location at);

} // namespace tenon::random
