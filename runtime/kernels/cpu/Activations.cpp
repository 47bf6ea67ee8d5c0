//===- Activations.cpp - activations in one pass over memory ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each has the bits of its decomposition in lib/ops/composites/Activations.cpp: the
// same operations, each rounded.
//===----------------------------------------------------------------------===//
#include "EachElement.h"

#include "runtime/math/Functions.h"
#include "runtime/math/Selu.h"

namespace tenon::rt::TENON_ISA {
namespace {
using namespace tenon::math;

template <class V>
[[gnu::always_inline]] inline V sigmoidOf(V x) {
  const auto isBelow = x < like(x, 0);
  const V one = like(x, 1), weight = exp(select(isBelow, x, -x));
  return select(isBelow, weight, one) / (one + weight);
}
template <class V>
[[gnu::always_inline]] inline V bounded(V x) {
  return maximum(x, like(x, -800));
}
template <class V>
[[gnu::always_inline]] inline V within(V x, math::Element<V> bound) {
  return minimum(maximum(x, like(x, -bound)), like(x, bound));
}
/// x above 0, else expm1 of what scale(x) is there, times `factor`.
template <class V, class Scale>
[[gnu::always_inline]] inline V eluOf(V x, V factor, Scale scale) {
  const auto isAbove = x > like(x, 0);
  return select(isAbove, x, factor * expm1(scale(select(isAbove, like(x, 0), x))));
}
template <class V>
[[gnu::always_inline]] inline V eluOf(V x, V factor) {
  return eluOf(x, factor, [](V below) __attribute__((always_inline)) { return below; });
}
template <class V>
[[gnu::always_inline]] inline V ramp(V x, math::Element<V> top) {
  return select(x <= like(x, 0), like(x, 0), select(x >= like(x, top), like(x, top), x));
}

// The functions, of an element and, where they have one, of their parameter.
struct Sigmoid {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return sigmoidOf(x);
  }
};
struct LogSigmoid {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return -logaddexp(-x, like(x, 0));
  }
};
struct Silu {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    using T = math::Element<V>;
    const V inner = within(x, 800), half = inner * T(0.5), one = like(x, 1);
    const auto isBelow = inner < like(x, 0);
    const V root = exp(select(isBelow, half, -half)), factor = select(isBelow, root, one);
    return bounded(x) * factor * factor / (root * root + one);
  }
};
struct Gelu {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    using T = math::Element<V>;
    constexpr double slope = 2 * 0x1.20dd750429b6dp0 * 0x1.6a09e667f3bcdp-1; // 2 / sqrt(pi), sqrt(1 / 2)
    const V inner = within(x, 32);
    return bounded(x) * sigmoidOf(T(slope) * (inner + T(0.044715) * (inner * inner * inner)));
  }
};
struct GeluOfErfc {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    using T = math::Element<V>;
    return bounded(x) * T(0.5) * erfc(within(x, 800) * T(-0x1.6a09e667f3bcdp-1));
  }
};
struct Mish {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return bounded(x) * tanh(logaddexp(within(x, 800), like(x, 0)));
  }
};
struct Elu {
  template <class V>
  [[gnu::always_inline]] static V run(V x, V alpha) {
    return eluOf(x, alpha);
  }
};
struct Celu {
  template <class V>
  [[gnu::always_inline]] static V run(V x, V alpha) {
    return eluOf(x, alpha, [&](V below) __attribute__((always_inline)) { return below / alpha; });
  }
};
struct Selu {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    using T = math::Element<V>;
    return T(math::seluScale) * eluOf(x, like(x, T(math::seluAlpha)));
  }
};
struct LeakyRelu {
  template <class V>
  [[gnu::always_inline]] static V run(V x, V slope) {
    return select(x < like(x, 0), slope * x, x);
  }
};
struct Relu6 {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return ramp(x, 6);
  }
};
struct HardTanh {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return select(x > like(x, 1), like(x, 1), select(x < like(x, -1), like(x, -1), x));
  }
};
struct HardSigmoid {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return ramp(x + like(x, 3), 6) / like(x, 6);
  }
};
struct HardSwish {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    return bounded(x) * (ramp(x + like(x, 3), 6) / like(x, 6));
  }
};
struct SoftSign {
  template <class V>
  [[gnu::always_inline]] static V run(V x) {
    const V infinity = like(x, math::Element<V>(__builtin_inf()));
    const auto isInfinite = abs(x) == infinity;
    const V finite = select(isInfinite, like(x, 0), x);
    return select(isInfinite, copysign(like(x, 1), x), finite / (like(x, 1) + abs(finite)));
  }
};

template <class Op, bool hasNumber>
Status run(const KernelCall &call, double number) {
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (D != Dtype::f32 && D != Dtype::f64)
      return Status::failed;
    else if constexpr (hasNumber)
      return onEachElement<Op, D, D>(call, static_cast<Compute<D>>(number));
    else
      return onEachElement<Op, D, D>(call);
  });
}

struct Activation {
  std::string_view name;
  Status (*run)(const KernelCall &call, double number);
};
constexpr Activation activations[] = {
    {"sigmoid", run<Sigmoid, false>},
    {"log_sigmoid", run<LogSigmoid, false>},
    {"silu", run<Silu, false>},
    {"gelu", run<Gelu, false>},
    {"gelu_of_erfc", run<GeluOfErfc, false>},
    {"mish", run<Mish, false>},
    {"elu", run<Elu, true>},
    {"celu", run<Celu, true>},
    {"selu", run<Selu, false>},
    {"leaky_relu", run<LeakyRelu, true>},
    {"relu6", run<Relu6, false>},
    {"hard_tanh", run<HardTanh, false>},
    {"hard_sigmoid", run<HardSigmoid, false>},
    {"hard_swish", run<HardSwish, false>},
    {"soft_sign", run<SoftSign, false>},
};

} // namespace

Status kernelActivation(const KernelCall &call) {
  const auto [function, number] = ActivationAttrs::read(call.attributes);
  for (const Activation &activation : activations)
    if (activation.name == function)
      return activation.run(call, number.asDouble());
  return Status::failed;
}

} // namespace tenon::rt::TENON_ISA
