"""Writes Temme.h: the coefficients of Temme's uniform expansion of the incomplete gamma functions.

    python3 runtime/math/temme.py > runtime/math/Temme.h

Q(a, x) = erfc(eta sqrt(a / 2)) / 2 + exp(-a eta^2 / 2) / sqrt(2 pi a) sum over k of C_k(eta) a^-k, where eta^2 / 2 =
lambda - 1 - log(lambda), lambda = x / a, and C_k is a power series in eta. All in fractions, by these rules (NIST
Digital Library of Mathematical Functions, 8.12):

    lambda - 1 = eta + alpha_2 eta^2 + ...,  alpha_n = (alpha_(n-1) - sum of j alpha_j alpha_(n-j+1), 1 < j < n) / (n+1)
    C_0's coefficients are (n + 2) alpha_(n+2), the first less 1
    C_k's are those of C_0 times C_k's own rest g_k, of Stirling's series for 1 / Gamma, and (n + 2) times the one of
    C_(k-1) two places on

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from fractions import Fraction

ROWS, COLUMNS = 11, 18


def alphas(count):
    alpha = [Fraction(0), Fraction(1)]
    for n in range(2, count + 1):
        total = alpha[n - 1] - sum(j * alpha[j] * alpha[n - j + 1] for j in range(2, n))
        alpha.append(total / (n + 1))
    return alpha


def gammas(alpha, count):
    """Stirling's series of Gamma(a): sqrt(2 pi / a) (a / e)^a sum of g_k a^-k, whose g_k are 1 3 5 ... (2k + 1)
    alpha_(2k + 1)."""
    result, factor = [], 1
    for k in range(count):
        factor *= 2 * k + 1
        result.append(factor * alpha[2 * k + 1])
    return result


alpha = alphas(2 * ROWS + COLUMNS + 4)
g = gammas(alpha, ROWS)
first = [(n + 2) * alpha[n + 2] - (n == 0) for n in range(2 * ROWS + COLUMNS)]
rows = [first]
for k in range(1, ROWS):
    last = rows[-1]
    rows.append([(-1) ** k * g[k] * first[n] + (n + 2) * last[n + 2] for n in range(len(last) - 2)])

print("""//===- Temme.h - coefficients of an expansion of the incomplete gamma functions ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by temme.py, which says what they are.
//===----------------------------------------------------------------------===//
#pragma once

namespace tenon::math::detail {

/// By the power of 1 / a, then by that of eta.""")
print(f"inline constexpr int temmeRows = {ROWS}, temmeColumns = {COLUMNS};")
print("inline constexpr double temmeTable[temmeRows][temmeColumns] = {")
for row in rows:
    print("    {" + ", ".join(float(c).hex() for c in row[:COLUMNS]) + "},")
print("""};

} // namespace tenon::math::detail""")
