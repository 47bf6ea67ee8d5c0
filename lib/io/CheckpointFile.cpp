//===- CheckpointFile.cpp - the state of a program in files ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/checkpoint_file.h>

#include "lib/array/Text.h"
#include "lib/base/Describe.h"
#include "lib/base/ErrorLocation.h"
#include "lib/io/Elements.h"
#include "lib/io/FileText.h"
#include "lib/io/Safetensors.h"
#include "lib/trace/State.h"

#include <tenon/generator.h>
#include <tenon/io.h>
#include <tenon/ops.h>

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

using namespace tenon;
using namespace tenon::detail;
namespace fs = std::filesystem;

static constexpr const char *saving = "Checkpoint.save", *restoring = "Checkpoint.restore";

// The metadata of a file: for each array the checksum of its dtype, shape and bytes, and whether it
// holds complex numbers in pairs; the static values; and the form, with the checksum of all these.
static constexpr const char *formKey = "tenon.checkpoint";
static constexpr std::string_view form = "2 ";
static std::string checksumKey(const std::string &name) { return "crc32:" + name; }
static std::string pairsKey(const std::string &name) { return "c128:" + name; }
static std::string valueKey(const std::string &name) { return "value:" + name; }

std::string detail::leaf_name(const std::string &name, const Path &path) {
  const std::string text = path.str();
  return text.empty() ? name : name + (text[0] == '[' ? "" : ".") + text;
}

void detail::append_leaf(std::vector<CheckpointLeaf> &out, CheckpointLeaf leaf) { out.push_back(std::move(leaf)); }

/// Calls `visit` with a null pointer of the number's type.
template <class F>
static auto withNumber(char form, size_t size, F &&visit) {
  if (form == 'f')
    return size == 4   ? visit(static_cast<float *>(nullptr))
           : size == 8 ? visit(static_cast<double *>(nullptr))
                       : visit(static_cast<long double *>(nullptr));
  if (form == 'i')
    return size == 1   ? visit(static_cast<int8_t *>(nullptr))
           : size == 2 ? visit(static_cast<int16_t *>(nullptr))
           : size == 4 ? visit(static_cast<int32_t *>(nullptr))
                       : visit(static_cast<int64_t *>(nullptr));
  return size == 1   ? visit(static_cast<uint8_t *>(nullptr))
         : size == 2 ? visit(static_cast<uint16_t *>(nullptr))
         : size == 4 ? visit(static_cast<uint32_t *>(nullptr))
                     : visit(static_cast<uint64_t *>(nullptr));
}

std::string detail::number_text(const void *number, char form, size_t size) {
  return withNumber(form, size, [&]<class T>(T *) {
    char text[64];
    return std::string(text, std::to_chars(text, text + sizeof text, *static_cast<const T *>(number)).ptr);
  });
}
bool detail::read_number(std::string_view text, void *number, char form, size_t size) {
  return withNumber(form, size, [&]<class T>(T *) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *static_cast<T *>(number));
    return error == std::errc() && end == text.data() + text.size();
  });
}

static std::string checksumOf(std::string_view start, std::span<const std::byte> data = {}) {
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef *>(start.data()), start.size());
  if (!data.empty()) // to zlib a null pointer means to start anew
    sum = crc32_z(sum, reinterpret_cast<const Bytef *>(data.data()), data.size());
  char text[16];
  return {text, std::to_chars(text, text + sizeof text, static_cast<unsigned>(sum), 16).ptr};
}

static std::string checksumOf(Dtype dtype, std::span<const int64_t> dims, std::span<const std::byte> data) {
  return checksumOf(std::string(short_name(dtype)) + shapeText(dims), data);
}

/// The form of a file with this metadata, of which its own entry does not count.
static std::string formOf(const std::map<std::string, std::string> &metadata) {
  std::string text;
  for (const auto &[key, value] : metadata)
    if (key != formKey)
      text += key + '\0' + value + '\0';
  return std::string(form) + checksumOf(text);
}

static std::vector<CheckpointLeaf> leavesOf(std::span<const Checkpoint::Entry> entries, const char *what) {
  std::vector<CheckpointLeaf> leaves;
  for (const Checkpoint::Entry &entry : entries)
    entry.leaves(leaves);
  std::set<std::string_view> names;
  for (const CheckpointLeaf &leaf : leaves)
    if (!names.insert(leaf.name).second)
      throw Error(std::string(what) + ": expected a name for each leaf, got " + quotedText(leaf.name) + " for two");
  return leaves;
}

/// A leaf that is read and written as a number of a generator.
template <auto assignTo>
static CheckpointLeaf numberOf(random::Generator &generator, const std::string &name, uint64_t now) {
  CheckpointLeaf leaf{name, nullptr, {}, static_text(now), &generator};
  leaf.become = [](const CheckpointLeaf &self, std::string_view text, bool assign) {
    const std::optional<uint64_t> number = static_value<uint64_t>(text);
    if (number && assign)
      assignTo(*static_cast<random::Generator *>(self.value), *number);
    return number.has_value();
  };
  return leaf;
}

Checkpoint::Entry::Entry(std::string name, random::Generator &generator)
    : name_(std::move(name)), tree_(&generator),
      leaves_([](void *tree, const std::string &entry, std::vector<CheckpointLeaf> &out) {
        auto &of = *static_cast<random::Generator *>(tree);
        // The seed first: setting it begins the stream anew.
        out.push_back(
            numberOf<[](random::Generator &g, uint64_t seed) { g.seed(seed); }>(of, entry + ".seed", of.seed()));
        out.push_back(numberOf<[](random::Generator &g, uint64_t position) { g.seek(position); }>(
            of, entry + ".position", of.position()));
      }) {}

Checkpoint::Checkpoint(std::vector<Entry> entries, Location at) : entries_(std::move(entries)) {
  std::set<std::string_view> names;
  for (const Entry &entry : entries_)
    if (!names.insert(entry.name()).second)
      throw Error("Checkpoint: expected a name for each tree, got " + quotedText(entry.name()) + " for two", at);
}

//===----------------------------------------------------------------------===//
// Names of files
//===----------------------------------------------------------------------===//

namespace {
/// A folder, and what the names of files in it begin with.
struct Prefix {
  fs::path folder;
  std::string name;

  explicit Prefix(const std::string &prefix) {
    const fs::path path(prefix);
    const bool isFolder = path.filename().empty() || fs::is_directory(path);
    folder = isFolder ? path : path.parent_path();
    name = isFolder ? "ckpt" : path.filename().string();
    if (folder.empty())
      folder = ".";
  }
  std::string file(uint64_t number) const {
    return (folder / (name + "-" + std::to_string(number) + std::string(ending))).string();
  }
  /// What temporary names begin with: the same for all numbers, so that a save finds what any killed one left.
  std::string start() const { return (folder / (name + std::string(ending))).string(); }

  /// The numbers of the files that are there, ascending.
  std::vector<uint64_t> numbers() const {
    std::vector<uint64_t> all;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
      const std::string text = file->path().filename().string();
      std::string_view rest = text;
      if (!rest.starts_with(name + "-") || !rest.ends_with(ending))
        continue;
      rest.remove_prefix(name.size() + 1);
      rest.remove_suffix(ending.size());
      if (const auto number = static_value<uint64_t>(rest); number && std::to_string(*number) == rest)
        all.push_back(*number);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

private:
  static constexpr std::string_view ending = ".safetensors";
};
} // namespace

std::optional<std::string> tenon::latest_checkpoint(const std::string &prefix) {
  const Prefix files(prefix);
  const std::vector<uint64_t> numbers = files.numbers();
  if (numbers.empty())
    return std::nullopt;
  return files.file(numbers.back());
}

//===----------------------------------------------------------------------===//
// save
//===----------------------------------------------------------------------===//

/// What a file has for a leaf's array; complex numbers of two f64 as pairs of these.
static Array storedForm(const CheckpointLeaf &leaf, Location at) {
  const Array array = leaf.now();
  if (!array.has_value())
    throw Error(std::string(saving) + ": expected an array as " + leaf.name + ", got " +
                    (leaf.array             ? "an empty Array"
                     : leaf.variable.cell() ? "a Variable that is not built"
                                            : "an empty Variable"),
                at);
  const Array here = array.dtype() == Dtype::c128 ? stack({real(array), imag(array)}, -1) : array;
  return denseOnHost(here, saving, at);
}

std::string Checkpoint::save(const std::string &prefix, SaveCheckpointOptions options, Location at) const {
  return placed(at, [&] {
    if (options.keep && *options.keep == 0)
      throw Error(std::string(saving) + ": expected to keep one file at least, got 0");
    NamedArrays arrays;
    std::map<std::string, StridedData> elements;
    std::map<std::string, std::string> metadata;
    for (const CheckpointLeaf &leaf : leavesOf(entries_, saving)) {
      if (leaf.isStatic()) {
        metadata[valueKey(leaf.name)] = leaf.text;
        continue;
      }
      const StridedData &data = elements[leaf.name] = stridedOf(arrays[leaf.name] = storedForm(leaf, at));
      size_t bytes = item_size(data.dtype);
      for (const int64_t dim : data.dims)
        bytes *= static_cast<size_t>(dim);
      metadata[checksumKey(leaf.name)] =
          checksumOf(data.dtype, data.dims, {static_cast<const std::byte *>(data.data), bytes});
      if (leaf.now().dtype() == Dtype::c128)
        metadata[pairsKey(leaf.name)] = "";
    }
    metadata[formKey] = formOf(metadata);
    const Prefix files(prefix);
    std::error_code error;
    fs::create_directories(files.folder, error);
    if (error)
      fileError(saving, "cannot make the folder: " + error.message(), files.folder.string());
    OutputFile file(saving, files.start(), OutputFile::Target::isNew);
    writeSafetensors(file, elements, metadata);
    const std::vector<uint64_t> known = files.numbers();
    uint64_t number = known.empty() ? 1 : known.back() + 1;
    while (!file.commitAs(files.file(number))) // another writer took it
      ++number;
    // The new file is there: older ones may go, and one that stays is no failure.
    std::vector<uint64_t> older = files.numbers();
    std::erase_if(older, [&](uint64_t other) { return other >= number; });
    for (size_t i = 0; options.keep && i + *options.keep <= older.size(); ++i)
      fs::remove(files.file(older[i]), error);
    return files.file(number);
  });
}

//===----------------------------------------------------------------------===//
// restore
//===----------------------------------------------------------------------===//

class detail::RestoreState {
public:
  RestoreState(std::vector<Checkpoint::Entry> entries, std::string path)
      : entries_(std::move(entries)), path_(std::move(path)) {}

  void read();
  /// Puts what has a place into it.
  void place();
  [[noreturn]] void fail(const std::string &sentence) const { fileError(restoring, sentence, path_); }
  void expectNone(bool alsoUnused) const;

  std::vector<std::string> missing, unused;
  size_t restored = 0;
  std::atomic<unsigned> references = 1;

private:
  /// Throws unless what the file has may become the leaf's.
  void expectFits(const CheckpointLeaf &leaf, const Array &array) const;

  std::vector<Checkpoint::Entry> entries_;
  std::string path_;
  /// What the file has, less what has been put in its place.
  NamedArrays arrays_;
  std::map<std::string, std::string> values_;
  /// Leaves that have been restored.
  std::set<std::string> done_;
};

void detail::retain(RestoreState *state) { state->references.fetch_add(1, std::memory_order_relaxed); }
void detail::release(RestoreState *state) {
  if (state->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete state;
}

/// A copy in the program's own memory.
static Array owned(const SafetensorsEntry &entry) {
  const Shape shape{std::span<const int64_t>(entry.dims)};
  Array array = Array::adopt(makeBuffer(entry.dtype, {shape.begin(), shape.size()}));
  if (!entry.data.empty())
    std::memcpy(array.value()->data, entry.data.data(), entry.data.size());
  return array;
}

void RestoreState::read() {
  SafetensorsFile file = readSafetensors(restoring, path_);
  const bool isOurs = std::any_of(file.metadata.begin(), file.metadata.end(), [](const auto &entry) {
    return entry.first == formKey || entry.first.starts_with(checksumKey("")) || entry.first.starts_with(valueKey(""));
  });
  if (isOurs) {
    const std::string &written = file.metadata[formKey], expected = formOf(file.metadata);
    const auto formIn = [](const std::string &text) { return text.substr(0, text.find(' ') + 1); };
    if (!written.empty() && formIn(written) != form)
      fail("expected a checkpoint of form " + formIn(expected) + "got one of form " + quotedText(formIn(written)) +
           ", which another version of Tenon has written");
    if (written != expected)
      fail("the file is damaged: its metadata does not have the checksum that it was written with");
  }
  for (const SafetensorsEntry &entry : file.entries) {
    if (const std::string message = tooManyAxes(entry.dims.size()); !message.empty())
      fail(message + "\n  array: " + quotedText(entry.name));
    const auto sum = file.metadata.find(checksumKey(entry.name));
    if (isOurs && sum == file.metadata.end())
      fail("expected a checksum of each array, got none of " + quotedText(entry.name));
    if (isOurs && sum->second != checksumOf(entry.dtype, entry.dims, entry.data))
      fail("the file is damaged: " + quotedText(entry.name) + " does not have the checksum " + quotedText(sum->second) +
           " that it was written with");
    Array array = owned(entry);
    if (isOurs && file.metadata.count(pairsKey(entry.name))) {
      if (entry.dtype != Dtype::f64 || entry.dims.empty() || entry.dims.back() != 2)
        fail("expected pairs of f64 for the complex numbers of " + quotedText(entry.name) + ", got " +
             describe(array.dtype(), array.shape()));
      array = complex(take(array, 0, -1), take(array, 1, -1));
    }
    arrays_.emplace(entry.name, std::move(array));
  }
  for (auto &[key, value] : file.metadata)
    if (isOurs && key.starts_with(valueKey("")))
      values_.emplace(key.substr(valueKey("").size()), std::move(value));
}

void RestoreState::expectFits(const CheckpointLeaf &leaf, const Array &array) const {
  const Array now = leaf.now();
  if (!now.has_value())
    return;
  if (array.dtype() != now.dtype() || provably_equal(array.shape(), now.shape()) != Always::yes)
    fail("expected " + describe(now.dtype(), now.shape()) + " for " + leaf.name + ", got " +
         describe(array.dtype(), array.shape()));
}

void RestoreState::place() {
  const std::vector<CheckpointLeaf> leaves = leavesOf(entries_, restoring);
  std::vector<std::pair<const CheckpointLeaf *, Array>> arrays;
  std::vector<std::pair<const CheckpointLeaf *, std::string>> values;
  missing.clear(), unused.clear();
  for (const CheckpointLeaf &leaf : leaves) {
    if (done_.count(leaf.name))
      continue;
    if (leaf.array || leaf.variable.cell()) {
      if (const auto found = arrays_.find(leaf.name); found != arrays_.end()) {
        expectFits(leaf, found->second);
        const Array now = leaf.now();
        const bool isElsewhere = now.has_value() && now.device() != found->second.device();
        arrays.emplace_back(&leaf, isElsewhere ? to_device(found->second, now.device()) : found->second);
        continue;
      }
    } else if (const auto found = values_.find(leaf.name); leaf.isStatic() && found != values_.end()) {
      if (!leaf.become(leaf, found->second, false))
        fail("expected a value like " + quotedText(leaf.text) + " for " + leaf.name + ", got " +
             quotedText(found->second));
      values.emplace_back(&leaf, found->second);
      continue;
    }
    missing.push_back(leaf.name);
  }
  // From here on nothing fails.
  for (auto &[leaf, array] : arrays) {
    if (leaf->array)
      *leaf->array = std::move(array);
    else if (!refOf(leaf->variable.cell())->build(typeOf(array.value()), array))
      leaf->variable.assign(array);
    arrays_.erase(leaf->name);
    done_.insert(leaf->name);
  }
  for (const auto &[leaf, text] : values) {
    leaf->become(*leaf, text, true);
    values_.erase(leaf->name);
    done_.insert(leaf->name);
  }
  restored += arrays.size() + values.size();
  for (const Checkpoint::Entry &entry : entries_) {
    if (!entry.object())
      continue;
    const std::string prefix = entry.name() + ".";
    restored += std::erase_if(arrays_, [&](const auto &one) {
      return one.first.starts_with(prefix) && entry.object()->restore_part(one.first.substr(prefix.size()), one.second);
    });
  }
  for (const auto &[name, array] : arrays_)
    unused.push_back(name);
  for (const auto &[name, text] : values_)
    unused.push_back(name);
}

/// The first of them.
static std::string listed(std::span<const std::string> names) {
  constexpr size_t most = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", " : "") + quotedText(names[i]);
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

void RestoreState::expectNone(bool alsoUnused) const {
  const bool isUnused = alsoUnused && !unused.empty();
  if (missing.empty() && !isUnused)
    return;
  std::string sentence = "expected every leaf in the file";
  sentence += alsoUnused ? ", and nothing else there" : "";
  if (!missing.empty())
    sentence += "\n  not in the file: " + listed(missing);
  if (isUnused)
    sentence += "\n  without a leaf: " + listed(unused);
  fail(sentence);
}

RestoreStatus Checkpoint::restore(const std::string &path, Location at) {
  return placed(at, [&] {
    StateRef<RestoreState> state(new RestoreState(entries_, path));
    state.get()->read();
    state.get()->place();
    return RestoreStatus(std::move(state));
  });
}

const std::vector<std::string> &RestoreStatus::missing() const { return state_.get()->missing; }
const std::vector<std::string> &RestoreStatus::unused() const { return state_.get()->unused; }
size_t RestoreStatus::restored() const { return state_.get()->restored; }
const RestoreStatus &RestoreStatus::restore_rest(Location at) const {
  placed(at, [&] { state_.get()->place(); });
  return *this;
}
const RestoreStatus &RestoreStatus::assert_consumed(Location at) const {
  placed(at, [&] { state_.get()->expectNone(true); });
  return *this;
}
const RestoreStatus &RestoreStatus::assert_existing_objects_matched(Location at) const {
  placed(at, [&] { state_.get()->expectNone(false); });
  return *this;
}

std::ostream &tenon::operator<<(std::ostream &out, const RestoreStatus &status) {
  return out << "RestoreStatus(restored=" << status.restored() << ", missing=[" << listed(status.missing())
             << "], unused=[" << listed(status.unused()) << "])";
}
