//===- Functions.h - the functions that elementwise ops have here -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the files that hold all of them: others include what they use, so that a change of one function compiles few.
//===----------------------------------------------------------------------===//
#pragma once

#include "Bessel.h"
#include "Beta.h"
#include "BetaGradient.h"
#include "Erf.h"
#include "Gamma.h"
#include "Hyperbolic.h"
#include "Incomplete.h"
#include "Logaddexp.h"
#include "Power.h"
#include "Remainder.h"
#include "Slopes.h"
#include "Trigonometric.h"
#include "Zeta.h"
