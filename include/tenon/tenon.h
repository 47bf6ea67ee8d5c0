//===- tenon.h - everything -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>
#include <tenon/block.h>
#include <tenon/checkpoint_file.h>
#include <tenon/control.h>
#include <tenon/dlpack.h>
#include <tenon/dtypes.h>
#include <tenon/eval_shape.h>
#include <tenon/fold.h>
#include <tenon/format.h>
#include <tenon/forward.h>
#include <tenon/generator.h>
#include <tenon/host.h>
#include <tenon/io.h>
#include <tenon/jacobian.h>
#include <tenon/jit.h>
#include <tenon/key.h>
#include <tenon/map.h>
#include <tenon/memory.h>
#include <tenon/ops.h>
#include <tenon/program.h>
#include <tenon/random.h>
#include <tenon/rules.h>
#include <tenon/statistics.h>
#include <tenon/tape.h>
#include <tenon/timeit.h>
#include <tenon/transform.h>
#include <tenon/tree.h>
#include <tenon/variable.h>
#include <tenon/view.h>
