//===- summary.h - numbers, histograms, images and texts for TensorBoard ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   summary::FileWriter writer("tb/");
//   auto scope = writer.as_default();
//   for (int64_t step = 0; step < 1000; ++step) {
//     tn::Array loss = train(...);
//     summary::record_every(100, step, [&] { summary::scalar("loss", loss, step); });
//   }
//
// `tensorboard --logdir tb/` shows them. The functions write to the default writer of the calling thread, and do
// nothing if there is none.
//
// Under jit a summary is a host call (host.h): it is written whenever the program runs, in order with prints and other
// host calls, to the writer that is the default then. Pass the step as an array or a Variable: a C++ number is read
// while tracing, so each run would write that step. A program with summaries cannot be saved (save_blob). Under vmap
// each batch element writes. Summaries have no derivative and change none.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/control.h>
#include <tenon/jit.h>
#include <tenon/variable.h>

#include <span>
#include <string>
#include <string_view>

namespace tenon::summary {

class WriterBody;
void retain(WriterBody *body);
void release(WriterBody *body);

/// While it lives, a writer is this thread's default. Scopes nest; the innermost counts.
class [[nodiscard]] DefaultScope {
public:
  DefaultScope(const DefaultScope &) = delete;
  DefaultScope &operator=(const DefaultScope &) = delete;
  ~DefaultScope();
  /// Internal: see FileWriter::as_default.
  [[nodiscard]] explicit DefaultScope(const tenon::detail::StateRef<WriterBody> &writer);

private:
  friend WriterBody *defaultWriter();
  tenon::detail::StateRef<WriterBody> writer_;
  DefaultScope *outer_;
};

struct FileWriterOptions {
  /// How many events are collected in memory before they are written to the file.
  int64_t max_queue = 10;
  /// An event that comes this many seconds after the last write to the file writes all.
  double flush_seconds = 120;
  /// What the name of the file ends with.
  std::string filename_suffix = {};
};

/// Writes summaries to a new file in a folder, `events.out.tfevents.TIME.HOST.PID.NUMBER`, which TensorBoard reads
/// while it grows. The folder is made if it is not there. Copies share the file; several threads may write. The file
/// is closed when the last copy is gone. After a fork, the child writes to a file of its own.
class FileWriter {
public:
  explicit FileWriter(std::string folder, const FileWriterOptions &options = {}, Location at = Location::current());

  [[nodiscard]] DefaultScope as_default() const { return DefaultScope(body_); }
  /// Writes the events that are collected in memory to the file.
  void flush(Location at = Location::current()) const;
  /// Does what flush does, and closes the file; a later summary is an Error.
  void close(Location at = Location::current()) const;
  /// The path of the file.
  std::string path() const;

private:
  tenon::detail::StateRef<WriterBody> body_;
};

/// Sets the step of this thread's summaries that give none. A Variable is read whenever a summary is written.
void set_step(const Variable &step, Location at = Location::current());
void set_step(int64_t step);

struct SummaryOptions {
  /// What TensorBoard shows beside it, in Markdown.
  std::string description = {};
};
struct HistogramOptions {
  int64_t buckets = 30;
  std::string description = {};
};
struct ImageOptions {
  /// How many images of a batch are written.
  int64_t max_outputs = 3;
  std::string description = {};
};

/// Writes a number, an array of one element, as float32. `step` is an integer; left out: see set_step.
void scalar(std::string_view name, const Operand &value, const Operand &step = none,
            const SummaryOptions &options = {});
/// Writes how the elements of an array are distributed, in buckets of equal width from the least to the greatest.
/// Elements that are not finite are left out. Without elements all counts are 0; if all elements are equal, the last
/// bucket holds them.
void histogram(std::string_view name, const Operand &data, const Operand &step = none,
               const HistogramOptions &options = {});
/// Writes images as PNG: (height, width), (height, width, channels) or (batch, height, width, channels), with 1 (gray),
/// 2 (gray, alpha), 3 (RGB) or 4 (RGBA) channels. Floats are clipped to [0, 1]; u8 and bool are written as they are.
void image(std::string_view name, const Operand &data, const Operand &step = none, const ImageOptions &options = {});
/// Writes a text in Markdown, in UTF-8.
void text(std::string_view name, std::string_view data, const Operand &step = none, const SummaryOptions &options = {});
/// Writes the ops of a traced function, for TensorBoard's page "Graphs": `summary::graph(f.concrete(x))`.
void graph(const Lowered &function, int64_t step = 0, Location at = Location::current());
inline void graph(const tenon::detail::ConcreteBase &function, int64_t step = 0, Location at = Location::current()) {
  graph(function.lowered(), step, at);
}

namespace detail {
enum class Answer : uint8_t { no, yes, traced };
/// What is known of a condition while C++ runs.
Answer answer_of(const Operand &condition);
/// Whether step is a multiple of n, as an array.
Array is_multiple(int64_t n, const Operand &step);
} // namespace detail

/// Calls f() if `condition`, a rank-0 bool, is true. Under jit f is traced as the branch of a `cond`: it runs if the
/// condition is true whenever the program runs. It must not assign arrays outside of it there.
template <class F>
void record_if(const Operand &condition, F &&f) {
  switch (detail::answer_of(condition)) {
  case detail::Answer::no:
    return;
  case detail::Answer::yes:
    static_cast<void>(f());
    return;
  case detail::Answer::traced:
    // Branches of cond return something.
    static_cast<void>(cond(
        condition,
        [&f] {
          static_cast<void>(f());
          return Array(true);
        },
        [] { return Array(false); }));
  }
}

/// Calls f() if `step`, an integer, is a multiple of n; 0 is one. Under jit, see record_if.
template <class F>
void record_every(int64_t n, const Operand &step, F &&f) {
  record_if(detail::is_multiple(n, step), std::forward<F>(f));
}

} // namespace tenon::summary
