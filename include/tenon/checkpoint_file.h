//===- checkpoint_file.h - the state of a program in files --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Checkpoint names trees of the program, such as a model, an optimizer or a counter. It saves their leaves to
// numbered safetensors files and restores them by path.
//
//   tn::Checkpoint checkpoint{{"model", model}, {"step", step}};
//   if (auto latest = tn::latest_checkpoint("runs/"))
//     checkpoint.restore(*latest).assert_consumed();
//   ...
//   checkpoint.save("runs/");    // runs/ckpt-1.safetensors, runs/ckpt-2.safetensors, ...
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/state_ref.h>
#include <tenon/key.h>
#include <tenon/tree.h>
#include <tenon/variable.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace tenon {
namespace random {
class Generator;
} // namespace random

namespace detail {

/// Converts a number (type: `form`, see static_form, and `size` bytes) to text that reads back as the same number.
/// read_number does the reverse and returns false for other text.
std::string number_text(const void *number, char form, size_t size);
bool read_number(std::string_view text, void *number, char form, size_t size);

/// A static value as text that gives the same value again.
template <class T>
std::string static_text(const T &value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return static_text(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return number_text(&value, static_form<T>(), sizeof(T));
  }
}

/// None if the text is no T.
template <class T>
std::optional<T> static_value(std::string_view text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "true" ? std::optional(true) : text == "false" ? std::optional(false) : std::nullopt;
  } else if constexpr (std::is_enum_v<T>) {
    const auto number = static_value<std::underlying_type_t<T>>(text);
    return number ? std::optional(static_cast<T>(*number)) : std::nullopt;
  } else {
    T value{};
    return read_number(text, &value, static_form<T>(), sizeof(T)) ? std::optional(value) : std::nullopt;
  }
}

/// A leaf of a tree that a checkpoint names.
struct CheckpointLeaf {
  std::string name;
  /// An Array's or a Key's.
  Array *array = nullptr;
  Variable variable = {};
  /// A static value's: its text, the value, if it is not const, and whether that can become the one of another text,
  /// which it does if `assign`.
  std::string text = {};
  void *value = nullptr;
  bool (*become)(const CheckpointLeaf &leaf, std::string_view text, bool assign) = nullptr;

  bool isStatic() const { return become != nullptr; }
  /// What is there now; an empty Array where there is nothing.
  Array now() const { return array ? *array : variable.has_value() ? variable.value() : Array(); }
};
void append_leaf(std::vector<CheckpointLeaf> &out, CheckpointLeaf leaf);

/// `name` with a leaf's path behind it.
std::string leaf_name(const std::string &name, const Path &path);

template <class T>
void checkpoint_leaves(void *tree, const std::string &name, std::vector<CheckpointLeaf> &out) {
  for_each_leaf(*static_cast<T *>(tree), [&](auto &leaf, const Path &path) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    constexpr bool isConst = std::is_const_v<std::remove_reference_t<decltype(leaf)>>;
    if constexpr ((std::is_same_v<Leaf, Array> || std::is_same_v<Leaf, Key>) && isConst) {
      static_assert(std::is_void_v<Leaf>, "a Checkpoint restores the arrays of its trees: they must not be const");
    } else if constexpr (std::is_same_v<Leaf, Array>) {
      append_leaf(out, {leaf_name(name, path), &leaf});
    } else if constexpr (std::is_same_v<Leaf, Key>) {
      append_leaf(out, {leaf_name(name, path), &leaf.data});
    } else if constexpr (std::is_same_v<Leaf, Variable>) {
      append_leaf(out, {leaf_name(name, path), nullptr, leaf});
    } else {
      CheckpointLeaf saved{leaf_name(name, path), nullptr, {}, static_text<Leaf>(leaf)};
      if constexpr (isConst) {
        saved.become = [](const CheckpointLeaf &self, std::string_view text, bool) { return text == self.text; };
      } else {
        saved.value = &leaf;
        saved.become = [](const CheckpointLeaf &self, std::string_view text, bool assign) {
          std::optional<Leaf> value = static_value<Leaf>(text);
          if (value && assign)
            *static_cast<Leaf *>(self.value) = std::move(*value);
          return value.has_value();
        };
      }
      append_leaf(out, std::move(saved));
    }
  });
}

class RestoreState;
void retain(RestoreState *state);
void release(RestoreState *state);

} // namespace detail

/// Result of Checkpoint::restore.
class RestoreStatus {
public:
  /// Leaves without an entry in the file; they are unchanged.
  const std::vector<std::string> &missing() const;
  /// Entries of the file without a leaf of that name.
  const std::vector<std::string> &unused() const;
  /// Number of restored leaves.
  size_t restored() const;
  /// Restores unused entries into leaves created since, such as the layers of a model that is built by its first
  /// input. Returns the remaining problems.
  const RestoreStatus &restore_rest(Location at = Location::current()) const;
  /// Throws an Error that lists missing leaves and unused entries, if there are any.
  const RestoreStatus &assert_consumed(Location at = Location::current()) const;
  /// Throws an Error that lists missing leaves, if there are any; the file may contain more entries.
  const RestoreStatus &assert_existing_objects_matched(Location at = Location::current()) const;

private:
  friend class Checkpoint;
  explicit RestoreStatus(detail::StateRef<detail::RestoreState> state) : state_(std::move(state)) {}
  detail::StateRef<detail::RestoreState> state_;
};

/// `RestoreStatus(restored=3, missing=[], unused=['step'])`.
std::ostream &operator<<(std::ostream &out, const RestoreStatus &status);

struct SaveCheckpointOptions {
  /// Number of files to keep: the new one and those with the largest smaller numbers. Default: all.
  std::optional<size_t> keep = {};
};

/// Saves the leaves of named trees to numbered safetensors files and restores them.
class Checkpoint {
public:
  /// A named tree. The tree is referenced, not copied, and must outlive the Checkpoint and its statuses.
  class Entry {
  public:
    template <class T>
    Entry(std::string name, T &tree)
        : name_(std::move(name)), tree_(const_cast<std::remove_const_t<T> *>(&tree)),
          leaves_(&detail::checkpoint_leaves<T>) {
      if constexpr (std::is_base_of_v<TreeObject, std::remove_const_t<T>>)
        object_ = const_cast<std::remove_const_t<T> *>(&tree);
      detail::require_tree<std::remove_const_t<T>>();
    }
    /// A generator: its seed and its position, as two static values.
    Entry(std::string name, random::Generator &generator);
    const std::string &name() const { return name_; }
    /// The tree, if it is an object that may make parts when it is restored; else null.
    TreeObject *object() const { return object_; }
    /// Appends its leaves as they are now.
    void leaves(std::vector<detail::CheckpointLeaf> &out) const { leaves_(tree_, name_, out); }

  private:
    std::string name_;
    void *tree_;
    TreeObject *object_ = nullptr;
    void (*leaves_)(void *, const std::string &, std::vector<detail::CheckpointLeaf> &);
  };

  /// Duplicate names are an Error.
  Checkpoint(std::initializer_list<Entry> entries, Location at = Location::current())
      : Checkpoint(std::vector<Entry>(entries), at) {}
  explicit Checkpoint(std::vector<Entry> entries, Location at = Location::current());

  /// Writes `PREFIX-N.safetensors`, with N one above the largest existing number, and returns its path. If `prefix`
  /// ends with `/` or is a directory, files are named `ckpt-N.safetensors` inside it. Missing directories are created.
  /// Writes are atomic, even across a power failure. Concurrent saves get different numbers. A save removes temporary
  /// files left by killed saves.
  std::string save(const std::string &prefix, SaveCheckpointOptions options = {},
                   Location at = Location::current()) const;

  /// Restores the leaves from a file written by save, or from any safetensors file whose array names are leaf paths.
  /// All or nothing: a damaged file (each array has a checksum of its dtype, shape and bytes), or an array with
  /// another dtype or shape than its leaf, is an Error before any leaf is assigned. An empty Array leaf accepts any
  /// array. Restored arrays are on the device of the arrays they replace. Variables are assigned; a Variable that
  /// does not exist yet is missing.
  RestoreStatus restore(const std::string &path, Location at = Location::current());

private:
  std::vector<Entry> entries_;
};

/// Path of the file with the largest number that Checkpoint::save wrote with this prefix; none if there is none.
std::optional<std::string> latest_checkpoint(const std::string &prefix);

} // namespace tenon
