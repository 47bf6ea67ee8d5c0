//===- transformations.cpp - functions of functions: jit, grad, jvp, vmap -===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in transformations.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

int main() {
  example("grad", [] {
    auto f = [](const tn::Array &x) { return tn::sum(tn::sin(x)); };
    tn::Array x = {0.0f, 1.0f};
    std::cout << tn::grad(f)(x) << "\n" << tn::cos(x);
  });
  example("grad", [] {
    auto f = [](const tn::Array &x, const tn::Array &y) { return x * x * y; };
    auto [by_x, by_y] = tn::grad<0, 1>(f)(3.0f, 2.0f); // by both arguments
    std::cout << by_x << " " << by_y << "\n";
    auto cube = [](const tn::Array &x) { return x * x * x; };
    std::cout << tn::grad(tn::grad(cube))(2.0f); // the second derivative
  });
  example("grad", [] {
    struct Line {
      tn::Array slope, offset;
    };
    auto loss = [](const Line &line, const tn::Array &x) { return line.slope * x + line.offset; };
    for (const auto &[path, gradient] : tn::grad(loss, {.wrt = {"0.slope", "1"}})(Line{2.0f, 1.0f}, 3.0f))
      std::cout << path << " " << gradient << "\n";
    auto square = [](const tn::Array &z) { return z * z; };
    std::cout << tn::grad(square, {.holomorphic = true})(tn::complex64_t{1, 2});
  });
  example("value_and_grad", [] {
    struct Line {
      tn::Array slope, offset;
    };
    auto loss = [](const Line &line, const tn::Array &x) { return tn::mean(tn::square(line.slope * x + line.offset)); };
    auto [value, gradient] = tn::value_and_grad(loss)(Line{2.0f, 1.0f}, tn::Array{0.0f, 1.0f});
    std::cout << value << "\n" << gradient.slope << " " << gradient.offset; // of the model's own type
  });
  example("vjp", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f};
    auto [y, pullback] = tn::vjp([](const tn::Array &x) { return x * x; }, x);
    std::cout << y << "\n" << pullback(tn::Array{1.0f, 10.0f, 100.0f});
  });
  example("gradients_function", [] {
    auto f = [](const tn::Array &x, const tn::Array &y) { return x * x * y; };
    const std::vector<tn::Array> gradients = tn::gradients_function(f)(3, 2); // by all arguments
    std::cout << gradients[0] << " " << gradients[1];
  });
  example("value_and_gradients_function", [] {
    auto square = [](const tn::Array &x) { return x * x; };
    auto [value, gradients] = tn::value_and_gradients_function(square)(tn::Array{1.0f, 2.0f});
    std::cout << value << "\n" << gradients[0];
  });
  example("implicit_gradients", [] {
    tn::Variable weight{2.0f, "weight"}, bias{1.0f, "bias"};
    auto loss = [&](const tn::Array &x, const tn::Array &y) { return tn::square(weight * x - y) + tn::square(bias); };
    for (const auto &[gradient, variable] : tn::implicit_gradients(loss)(3.0f, 5.0f)) // as tfe.implicit_gradients
      variable -= 0.1f * gradient;
    std::cout << weight << "\n" << bias;
  });
  example("implicit_value_and_gradients", [] {
    tn::Variable scale{3.0f, "scale"};
    auto [loss, pairs] = tn::implicit_value_and_gradients([&] { return scale * scale; })();
    std::cout << loss << " " << pairs[0].first << " " << pairs[0].second.name();
  });
  example("jvp", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f}, dx = {1.0f, 0.0f, 10.0f};
    auto [y, dy] = tn::jvp([](const tn::Array &x) { return x * x; }, x, dx); // how y moves as x moves along dx
    std::cout << y << "\n" << dy;
  });
  example("jvp", [] {
    auto f = [](const tn::Array &x, const tn::Array &y) { return x * x * y; };
    std::cout << tn::jvp(f, std::tuple(3.0f, 2.0f), std::tuple(1.0f, 0.0f)).second << "\n";
    auto doublings = [](const tn::Array &x) { // grad refuses a loop of so many rounds as it takes
      return tn::while_loop([](const tn::Array &y) { return y < 100; }, [](const tn::Array &y) { return 2 * y; }, x);
    };
    std::cout << tn::jvp(doublings, 3.0f, 1.0f).second;
  });
  example("linearize", [] {
    auto [y, push] = tn::linearize([](const tn::Array &x) { return tn::exp(x) * x; }, tn::Array(0.0f)); // runs once
    std::cout << y << " " << push(1.0f) << " " << push(2.5f);
  });
  example("linear_transpose", [] {
    tn::Array a = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};
    auto product = [&](const tn::Array &x) { return tn::matmul(a, x); };
    auto transposed = tn::linear_transpose(product, tn::zeros({3})); // of the argument only the type matters
    std::cout << transposed(tn::Array{1.0f, 10.0f}) << "\n" << tn::matmul(tn::transpose(a), tn::Array{1.0f, 10.0f});
  });
  example("hvp", [] {
    auto f = [](const tn::Array &x) { return tn::sum(x * x * x); };
    std::cout << tn::hvp(f, tn::Array{1.0f, 2.0f}, tn::Array{1.0f, 1.0f}); // the Hessian is never made
  });
  example("jacobian", [] {
    auto polar = [](const tn::Array &p) { return tn::stack({p[0] * tn::cos(p[1]), p[0] * tn::sin(p[1])}); };
    std::cout << tn::jacobian(polar)(tn::Array{2.0f, 0.0f});
  });
  example("jacobian_forward", [] {
    auto powers = [](const tn::Array &x) { return tn::pow(x, tn::Array{1.0f, 2.0f, 3.0f}); };
    std::cout << tn::jacobian_forward(powers)(2.0f); // one pass, for three results
  });
  example("jacobian_reverse", [] {
    auto norms = [](const tn::Array &x) { return tn::stack({tn::sum(x * x), tn::sum(x)}); };
    std::cout << tn::jacobian_reverse(norms)(tn::Array{1.0f, 2.0f, 3.0f}); // two passes, for three numbers
  });
  example("hessian", [] {
    auto f = [](const tn::Array &x) { return x[0] * x[0] * x[1]; };
    std::cout << tn::hessian(f)(tn::Array{3.0f, 5.0f});
  });
  example("vmap", [] {
    auto distance = [](const tn::Array &x, const tn::Array &y) { return tn::vector_norm(x - y); };
    tn::Array points = {{0.0f, 0.0f}, {3.0f, 4.0f}, {6.0f, 8.0f}}, origin = {0.0f, 0.0f};
    std::cout << tn::vmap(distance, {.in_axes = {0, tn::none}})(points, origin) << "\n";
    auto to_all = [&](const tn::Array &y) { return tn::vmap(distance, {.in_axes = {0, tn::none}})(points, y); };
    std::cout << tn::vmap(to_all)(points); // each to each
  });
  example("psum", [] {
    auto share = [](const tn::Array &x) { return x / tn::psum(x, "votes"); };
    std::cout << tn::vmap(share, {.axis_name = "votes"})(tn::Array{1.0f, 2.0f, 5.0f});
  });
  example("pmean", [] {
    auto centered = [](const tn::Array &x) { return x - tn::pmean(x, "points"); };
    std::cout << tn::vmap(centered, {.axis_name = "points"})(tn::Array{{1.0f, 2.0f}, {3.0f, 6.0f}});
  });
  example("pmax", [] {
    auto is_best = [](const tn::Array &x) { return x == tn::pmax(x, "players"); };
    std::cout << tn::vmap(is_best, {.axis_name = "players"})(tn::Array{3, 9, 4});
  });
  example("pmin", [] {
    auto above = [](const tn::Array &x) { return x - tn::pmin(x, "players"); };
    std::cout << tn::vmap(above, {.axis_name = "players"})(tn::Array{3, 9, 4});
  });
  example("axis_index", [] {
    auto numbered = [](const tn::Array &x) { return x * tn::axis_index("rows"); };
    std::cout << tn::vmap(numbered, {.axis_name = "rows"})(tn::Array{{1, 1}, {1, 1}, {1, 1}});
  });
  example("axis_size", [] {
    auto each = [](const tn::Array &x) { return x / tn::Array(tn::axis_size("parts").raw()); };
    std::cout << tn::vmap(each, {.axis_name = "parts"})(tn::Array{2.0f, 4.0f});
  });
  example("jit", [] {
    auto gauss = tn::jit([](const tn::Array &x) {
      std::cout << "tracing\n"; // plain C++ runs while tracing only
      return tn::exp(-0.5f * x * x);
    });
    std::cout << gauss(tn::Array{0.0f, 1.0f}) << "\n";
    std::cout << gauss(tn::Array{2.0f, 3.0f}); // the same program
  });
  example("jit", [] {
    auto step = tn::jit([](tn::Array &weight, const tn::Array &gradient) { weight = weight - 0.1f * gradient; });
    tn::Array weight = {1.0f, 2.0f};
    step(weight, tn::Array{10.0f, 0.0f}); // an argument that is not const is updated
    std::cout << weight;
  });
  example("tree_map", [] {
    std::map<std::string, tn::Array> model = {{"bias", 1.0f}, {"weight", {2.0f, 3.0f}}};
    auto halved = tn::tree_map([](const tn::Array &leaf) { return leaf / 2; }, model);
    std::cout << halved.at("bias") << " " << halved.at("weight");
  });
  example("tree_leaves", [] {
    std::pair<tn::Array, std::vector<tn::Array>> tree = {1, {{2, 3}, {4}}}; // any struct, too
    for (const tn::Array &leaf : tn::tree_leaves(tree))
      std::cout << leaf << "\n";
  });
  example("tree_unflatten", [] {
    std::map<std::string, tn::Array> model = {{"bias", 1}, {"weight", 2}};
    std::vector<tn::Array> leaves = {10, 20};
    std::cout << tn::tree_unflatten(model, leaves).at("weight");
  });
  example("tree_structure", [] {
    std::map<std::string, tn::Array> model = {{"bias", 1}, {"weight", 2}};
    std::cout << tn::tree_structure(model);
  });
  example("tree_copy", [] {
    std::vector<tn::Array> model = {1, 2}, copy = tn::tree_copy(model);
    copy[0] = copy[0] + 9; // arrays never change: the copy has another one
    std::cout << model[0] << " " << copy[0];
  });
  example("grad", [] {
    auto square = [](const tn::Array &x) { return x * x; };
    auto third = tn::grad(tn::grad(tn::grad(square)), {.unconnected = tn::none}); // a std::optional<Array>
    std::cout << std::boolalpha << third(3.0f).has_value() << " " << tn::grad(tn::grad(tn::grad(square)))(3.0f);
  });
  example("custom_gradient", [] {
    auto naive = [](const tn::Array &x) { return tn::log(1 + tn::exp(x)); };
    auto log1pexp = tn::custom_gradient([](const tn::Array &x) {
      tn::Array e = tn::exp(x); // kept for the rule, which closes over it
      return tn::with_grad(tn::log(1 + e), [=](const tn::Array &d) { return d * (1 - 1 / (1 + e)); });
    });
    std::cout << tn::grad(naive)(100.0f) << " " << tn::grad(log1pexp)(100.0f);
  });
  example("custom_gradient", [] {
    // The value is x, and what comes back is at most of length `norm`, which itself gets nothing.
    auto clip = tn::custom_gradient("clip_gradient", [](const tn::Array &x, const tn::Array &norm) {
      return tn::with_grad(x, [=](const tn::Array &d) {
        return std::tuple(d * norm / tn::maximum(tn::vector_norm(d), norm), tn::none);
      });
    });
    auto f = [&](const tn::Array &x) { return tn::sum(clip(x, 1.0f) * tn::Array{3.0f, 4.0f}); };
    std::cout << tn::grad(f)(tn::Array{0.0f, 0.0f});
  });
  example("with_grad", [] {
    auto rounded = tn::custom_gradient([](const tn::Array &x) {
      return tn::with_grad(tn::round(x), [](const tn::Array &d) { return d; }); // as if it were x
    });
    std::cout << rounded(1.7f) << " " << tn::grad(rounded)(1.7f);
  });
  example("custom_vjp", [] {
    // The root of y * y = x by steps; its derivative is known without them.
    auto root = [](const tn::Array &x) {
      auto again = [&](const tn::Array &y) { return tn::abs(y * y - x) > 1e-6f * x; };
      return tn::while_loop(again, [&](const tn::Array &y) { return (y + x / y) / 2; }, x);
    };
    auto differentiable = tn::custom_vjp(
        root,
        [=](const tn::Array &x) {
          tn::Array y = root(x);
          return std::pair(y, y);
        },
        [](const tn::Array &y, const tn::Array &d) { return d / (2 * y); });
    std::cout << differentiable(9.0f) << " " << tn::grad(differentiable)(9.0f);
  });
  example("custom_jvp", [] {
    auto sinc = tn::custom_jvp([](const tn::Array &x) { return tn::sinc(x); },
                               [](const tn::Array &x, const tn::Array &dx) {
                                 tn::Array p = x * 3.14159265f,
                                           slope = tn::where(x == 0, 0, (tn::cos(p) - tn::sinc(x)) / x);
                                 return std::pair(tn::sinc(x), slope * dx);
                               });
    std::cout << tn::grad(sinc)(0.0f) << " " << tn::jvp(sinc, tn::Array(1.0f), tn::Array(1.0f)).second;
  });
  example("check_gradients", [] {
    auto f = tn::custom_gradient([](const tn::Array &x) {
      return tn::with_grad(x * x, [=](const tn::Array &d) { return d * x; }); // 2 is forgotten
    });
    try {
      tn::check_gradients(f, 3.0f);
    } catch (const tn::Error &error) {
      std::cout << error.message();
    }
  });
  example("checkpoint", [] {
    auto block = [](const tn::Array &x) { return tn::tanh(tn::sin(tn::exp(x))); };
    auto net = [&](const tn::Array &x) {
      auto thrifty = tn::checkpoint(block); // its derivative keeps x, and computes the rest again
      return tn::sum(thrifty(thrifty(x)));
    };
    std::cout << tn::grad(net)(tn::Array{0.0f, 1.0f});
  });
  example("checkpoint_name", [] {
    auto block = [](const tn::Array &x, const tn::Array &w) {
      return tn::sin(tn::checkpoint_name(tn::matmul(x, w), "product"));
    };
    auto thrifty = tn::checkpoint(block, {.names = {"product"}}); // the product is kept, too
    auto f = [&](const tn::Array &x) { return tn::sum(thrifty(x, tn::eye(2))); };
    std::cout << tn::grad(f)(tn::zeros({2, 2}));
  });
  example("map", [] {
    tn::Array rows = tn::reshape(tn::arange(10), {5, 2});
    auto largest = [](const tn::Array &row) { return tn::max(row); };
    std::cout << tn::map(largest, rows, {.batch = 2}); // two at once, two, then the last one
  });
  example("eval_shape", [] {
    auto f = [](const tn::Array &x, const tn::Array &w) { return tn::relu(tn::matmul(x, w)); };
    tn::Array y = tn::eval_shape(f, tn::TensorSpec{tn::f32, {"batch", 784}}, tn::TensorSpec{tn::f32, {784, 10}});
    std::cout << y.shape() << " " << y.dtype(); // nothing was computed
  });
  example("composite", [] {
    auto softcap = tn::composite("softcap", [](const tn::Array &x) { return 5 * tn::tanh(x / 5); });
    auto f = tn::jit([&](const tn::Array &x) { return softcap(x); });
    tn::Array x = {1.0f, 100.0f};
    bool is_one_op = f.lower(x).trace().find("user.softcap") != std::string::npos;
    std::cout << std::boolalpha << is_one_op << " " << f(x);
  });
  example("apply_along_axis", [] {
    tn::Array x = {{3, 1, 2}, {9, 7, 8}};
    auto ends = [](const tn::Array &row) { return tn::stack({tn::min(row), tn::max(row)}); };
    std::cout << tn::apply_along_axis(ends, 1, x);
  });
}
