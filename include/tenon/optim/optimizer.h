//===- optimizer.h - optimizers --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer is a handle: copies share its hyperparameters, its slots and its count of steps, all of them Variables.
// So its methods are const, a jitted function may capture it in any way, and assigning a hyperparameter takes effect
// without a new trace:
//
//   const optim::Adam optimizer{1e-3, {.global_clipnorm = 1}};
//   auto step = tn::jit([&](const tn::Array &x, const tn::Array &y) {
//     auto [loss, gradients] = nn::value_and_grad(loss_of)(model, x, y);
//     optimizer.apply_gradients(gradients);
//     return loss;
//   });
//   optimizer.learning_rate().assign(1e-4);
//
// Slots are made, outside of traces, when the optimizer first sees its Variables. They are named after the path of a
// Variable in nn::Gradients, else after the Variable: `momentum.conv1.kernel`. Slots of f16 and bf16 Variables are f32,
// as with mu_dtype in optax (Keras gives them the dtype of the Variable), and updates are computed in f32 and rounded
// once; f64 Variables have f64 slots. Hyperparameters are f64.
//
// Options have Keras' names, order and meaning:
//   weight_decay                 learning_rate * weight_decay * variable is subtracted besides (decoupled)
//   exclude_from_weight_decay    Variables whose path contains one of these texts do not decay
//   clipnorm                     limit of the norm of each gradient       (at most one of the three)
//   clipvalue                    limit of the absolute value of each element
//   global_clipnorm              limit of the norm of all gradients together
//   ema_momentum                 keeps moving averages of the Variables, see finalize_variable_values
//   ema_overwrite_frequency      assigns the averages to the Variables at every so many updates
//   gradient_accumulation_steps  updates with the mean gradient of so many steps
// A weight decay or momentum of 0 is left out of the program, so it cannot be changed later.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/gradients.h>
#include <tenon/optim/transform.h>
#include <tenon/tape.h>

#include <optional>

namespace tenon {
namespace optim {
class OptimizerBody;
void retain(OptimizerBody *body);
void release(OptimizerBody *body);

/// A rule that updates Variables by their gradients.
class Optimizer : public TreeObject {
public:
  /// An optimizer with its defaults by its lower-case name, such as "adam". An Error lists the names.
  Optimizer(const char *name, Location at = Location::current());
  /// Adds what the Transform makes of the gradients to the Variables.
  explicit Optimizer(Transform transform, std::string name = "optimizer");

  /// Updates the Variables. The first call determines the Variables of the optimizer and makes its slots; a Variable
  /// that is not among them is an Error then. Variables with an empty gradient stay as they are, which is logged once;
  /// if all are empty, that is an Error. Also Errors: a Variable that is empty, not built, not of real floating
  /// numbers, or given twice, and a gradient of another shape. After an Error all Variables are as they were before.
  void apply_gradients(const nn::Gradients &gradients, Location at = Location::current()) const;
  /// The gradient of each Variable, in one order.
  void apply_gradients(const std::vector<Array> &gradients, const std::vector<Variable> &variables,
                       Location at = Location::current()) const;
  void apply_gradients(const std::vector<std::pair<Array, Variable>> &pairs, Location at = Location::current()) const;

  /// Calls `loss()`, which returns an Array, on a tape, updates the Variables by its gradients, and returns the loss.
  template <class F>
  Array minimize(F &&loss, const std::vector<Variable> &variables, Location at = Location::current()) const {
    GradientTape tape(at);
    const Array value = loss();
    apply(tape.gradient(scale_loss(value, at), variables, {.unconnected = none}, at), variables, at);
    return value;
  }
  /// Updates the trainable Variables that `loss()` reads.
  template <class F>
  Array minimize(F &&loss, Location at = Location::current()) const {
    GradientTape tape(at);
    const Array value = loss();
    const std::vector<Variable> variables = tape.watched_variables();
    apply(tape.gradient(scale_loss(value, at), variables, {.unconnected = none}, at), variables, at);
    return value;
  }

  /// Returns what is differentiated in place of the loss: of a LossScaleOptimizer the loss times its scale, in f32 or
  /// f64; of others the loss.
  Array scale_loss(const Array &loss, Location at = Location::current()) const;

  /// Updates the Variables by their `grad()`, to which `tape.backward(loss)` adds; these stay.
  void step(const std::vector<Variable> &variables, Location at = Location::current()) const;
  /// Sets the `grad()` of each Variable to zeros.
  void zero_grad(const std::vector<Variable> &variables, Location at = Location::current()) const;

  /// Adds Variables to those of the optimizer and makes their slots.
  void build(const std::vector<Variable> &variables, Location at = Location::current()) const;

  /// The learning rate. If it is a schedule, the Variable holds the rate of the last step (before the first one, the
  /// rate of that one), and the next step overwrites what is assigned to it.
  Variable learning_rate(Location at = Location::current()) const { return hyperparameter("learning_rate", at); }
  /// Whether the learning rate follows a schedule.
  bool has_schedule() const;
  /// The number of updates, i64. Steps that only accumulate gradients do not count.
  Variable iterations() const;
  /// The hyperparameter with this name, such as "momentum" or "weight_decay". An Error lists the names.
  Variable hyperparameter(std::string_view name, Location at = Location::current()) const;
  std::vector<std::string> hyperparameter_names() const;

  /// The slot of a Variable by the kind of slot, such as "momentum". An Error lists the kinds.
  Variable slot(std::string_view kind, const Variable &variable, Location at = Location::current()) const;
  /// Makes the slot with this name, such as `momentum.conv1.kernel`, or assigns it if there is one, also before the
  /// optimizer has seen its Variables.
  void restore_slot(std::string_view name, const Operand &value) const;
  /// The number of steps, the hyperparameters and the slots, by name.
  std::vector<std::pair<std::string, Variable>> variables() const;

  /// Assigns the moving averages of `ema_momentum` to their Variables, as Keras does after training. An Error if the
  /// optimizer keeps none.
  void finalize_variable_values(Location at = Location::current()) const;

  const std::string &name() const;
  void fields(Fields &f) override;
  /// A slot that a checkpoint has, which may not be here yet.
  bool restore_part(const std::string &name, const Array &value) override;

protected:
  explicit Optimizer(OptimizerBody *body);

private:
  friend class LossScaleOptimizer;
  void apply(const std::vector<std::optional<Array>> &gradients, const std::vector<Variable> &variables,
             Location at) const;

  detail::StateRef<OptimizerBody> body_;
};

struct SGDOptions {
  /// Default: 0.01.
  LearningRate learning_rate = {};
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "sgd";
};
/// Gradient descent, with momentum as in PyTorch and optax: `m = gradient + momentum * m`, and `variable -=
/// learning_rate * m`; with `nesterov` `gradient + momentum * m` takes the place of m. Keras multiplies by the learning
/// rate before it adds, which is the same while the rate is constant. Slot: momentum.
class SGD : public Optimizer {
public:
  explicit SGD(const LearningRate &learning_rate = {}, const SGDOptions &options = {},
               Location at = Location::current());
  explicit SGD(const SGDOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform sgd(const LearningRate &learning_rate, const SGDOptions &options = {}, Location at = Location::current());

struct AdamOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "adam";
};
/// Adam (D. Kingma, J. Ba, 2015); see scale_by_adam. Slots: momentum, velocity, with `amsgrad` velocity_hat.
class Adam : public Optimizer {
public:
  explicit Adam(const LearningRate &learning_rate = {}, const AdamOptions &options = {},
                Location at = Location::current());
  explicit Adam(const AdamOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform adam(const LearningRate &learning_rate, const AdamOptions &options = {}, Location at = Location::current());

struct AdamWOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  double weight_decay = 0.004;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "adamw";
};
/// Adam with decoupled weight decay (I. Loshchilov, F. Hutter, 2019).
class AdamW : public Optimizer {
public:
  explicit AdamW(const LearningRate &learning_rate = {}, const AdamWOptions &options = {},
                 Location at = Location::current());
  explicit AdamW(const AdamWOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform adamw(const LearningRate &learning_rate, const AdamWOptions &options = {}, Location at = Location::current());

struct RMSpropOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "rmsprop";
};
/// RMSprop (G. Hinton, T. Tieleman, 2012): divides by `sqrt(v + epsilon)`, where v is a moving average of squared
/// gradients, less the squared average of gradients if `centered`; with `momentum` the steps are added up as
/// `m = step + momentum * m`. Slots: velocity, average_gradient, momentum.
class RMSprop : public Optimizer {
public:
  explicit RMSprop(const LearningRate &learning_rate = {}, const RMSpropOptions &options = {},
                   Location at = Location::current());
  explicit RMSprop(const RMSpropOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform rmsprop(const LearningRate &learning_rate, const RMSpropOptions &options = {},
                  Location at = Location::current());

struct AdagradOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double initial_accumulator_value = 0.1, epsilon = 1e-7;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "adagrad";
};
/// Adagrad (J. Duchi et al., 2011): divides by `sqrt(a + epsilon)`, where a is the sum of squared gradients. Slot:
/// sum_of_squares.
class Adagrad : public Optimizer {
public:
  explicit Adagrad(const LearningRate &learning_rate = {}, const AdagradOptions &options = {},
                   Location at = Location::current());
  explicit Adagrad(const AdagradOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform adagrad(const LearningRate &learning_rate, const AdagradOptions &options = {},
                  Location at = Location::current());

struct NadamOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "nadam";
};
/// Adam with Nesterov momentum (T. Dozat, 2016), with Keras' schedule of the momentum. Slots: momentum, velocity;
/// momentum_product.
class Nadam : public Optimizer {
public:
  explicit Nadam(const LearningRate &learning_rate = {}, const NadamOptions &options = {},
                 Location at = Location::current());
  explicit Nadam(const NadamOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform nadam(const LearningRate &learning_rate, const NadamOptions &options = {}, Location at = Location::current());

struct AdamaxOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "adamax";
};
/// Adam by the infinity norm (D. Kingma, J. Ba, 2015). Slots: momentum, norm.
class Adamax : public Optimizer {
public:
  explicit Adamax(const LearningRate &learning_rate = {}, const AdamaxOptions &options = {},
                  Location at = Location::current());
  explicit Adamax(const AdamaxOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform adamax(const LearningRate &learning_rate, const AdamaxOptions &options = {},
                 Location at = Location::current());

struct LionOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.99;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "lion";
};
/// Lion (X. Chen et al., 2023): the sign of an average of gradients. Slot: momentum.
class Lion : public Optimizer {
public:
  explicit Lion(const LearningRate &learning_rate = {}, const LionOptions &options = {},
                Location at = Location::current());
  explicit Lion(const LionOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform lion(const LearningRate &learning_rate, const LionOptions &options = {}, Location at = Location::current());

struct LAMBOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "lamb";
};
/// LAMB (Y. You et al., 2020): Adam's step scaled to the norm of each Variable. As in Keras, weight decay is decoupled
/// and not part of that norm. Slots: momentum, velocity.
class LAMB : public Optimizer {
public:
  explicit LAMB(const LearningRate &learning_rate = {}, const LAMBOptions &options = {},
                Location at = Location::current());
  explicit LAMB(const LAMBOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform lamb(const LearningRate &learning_rate, const LAMBOptions &options = {}, Location at = Location::current());

struct AdafactorOptions {
  /// Default: 0.001.
  LearningRate learning_rate = {};
  double beta_2_decay = -0.8, epsilon_1 = 1e-30, epsilon_2 = 1e-3, clip_threshold = 1;
  bool relative_step = true;
  double weight_decay = 0;
  std::vector<std::string> exclude_from_weight_decay = {};
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, ema_momentum = {};
  std::optional<int64_t> ema_overwrite_frequency = {}, gradient_accumulation_steps = {};
  std::string name = "adafactor";
};
/// Adafactor (N. Shazeer, M. Stern, 2018): keeps sums of squared gradients of the rows and the columns only. Slots:
/// velocity_row and velocity_column of Variables of rank 2 and more (along the last two axes), velocity of others.
class Adafactor : public Optimizer {
public:
  explicit Adafactor(const LearningRate &learning_rate = {}, const AdafactorOptions &options = {},
                     Location at = Location::current());
  explicit Adafactor(const AdafactorOptions &options, Location at = Location::current());
};
/// The same as a Transform; `ema_momentum` is an Error.
Transform adafactor(const LearningRate &learning_rate, const AdafactorOptions &options = {},
                    Location at = Location::current());

} // namespace optim
} // namespace tenon
