//===- BlobRunner.cpp - another process that runs saved programs -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/BlobRunner.h"

#include <tenon/error.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::conformance {

void BlobRunner::start() {
  int input[2], output[2];
  if (pipe(input) || pipe(output))
    throw Error("cannot make pipes for the runner");
  std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "conformance-runner";
  process_ = fork();
  if (process_ == 0) {
    dup2(input[0], 0);
    dup2(output[1], 1);
    for (int end : {input[0], input[1], output[0], output[1]})
      close(end);
    setenv("TENON_COMPILER", "/nonexistent/libtenon-compiler.so", 1);
    execl(program.c_str(), program.c_str(), nullptr);
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  to_ = input[1], from_ = output[0];
  signal(SIGPIPE, SIG_IGN);
}

void BlobRunner::stop() {
  if (process_ < 0)
    return;
  close(to_);
  close(from_);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::vector<HostData> BlobRunner::run(const std::string &blob, const std::vector<HostData> &inputs,
                                      Launches &launches) {
  if (process_ < 0)
    start();
  writeArrays(folder_ / "inputs", inputs);
  std::string line = blob + "\n" + (folder_ / "inputs") + "\n" + (folder_ / "outputs") + "\n", answer;
  bool isAlive = write(to_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  for (char c; isAlive && (isAlive = read(from_, &c, 1) == 1) && c != '\n';)
    answer += c;
  if (!isAlive) {
    int status = 0;
    close(to_);
    close(from_);
    waitpid(std::exchange(process_, -1), &status, 0);
    throw Error(WIFSIGNALED(status) ? "the runner died of signal " + std::to_string(WTERMSIG(status))
                                    : "the runner ended with status " + std::to_string(WEXITSTATUS(status)));
  }
  std::istringstream text(answer);
  std::string word;
  text >> word;
  if (word != "ok")
    throw Error("the runner: " + answer);
  text >> launches.generatedKernels >> launches.librarySteps >> launches.eagerKernels >> launches.interpretedPrograms;
  return readArrays(folder_ / "outputs");
}

} // namespace tenon::conformance
