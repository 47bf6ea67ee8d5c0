# other.py - ops that hand their operands on
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from values import OPS, Result

OPS["checkpoint_name"] = OPS["optimization_barrier"] = lambda c: [Result(x, dtype) for x, dtype in zip(c.x, c.dtypes)]
OPS["stop_gradient"] = lambda c: (c.exact(c.held[0] * c.x[0]) if "times" in c.a
                                  else [Result(c.held[0], c.dtypes[0])])
OPS["print"] = OPS["check"] = lambda c: [Result(c.x[0], c.dtypes[0])]
OPS["host_call"] = lambda c: [Result(c.x[0].T, c.dtypes[0])]
