#!/usr/bin/env python3
"""Plants the mutations of test/mutants/*.mut and runs the tests: what survives is not tested. './dev mutants'.

  ./dev mutants [--room ROOM]... [--draw N] [--named] [--check] [--list] [NAME...]

All mutations stand in one copy of the tree, each as a choice that the environment makes when the process starts
(TENON_MUTANT, in the copy alone), so that all are built at once, on top of build/dev: only what they change is
compiled. For each the tests that its entry names run first, then the quick ones of the rest, until one fails or
takes too long. The exit status is 1 if one survives that the list does not call equal. Those that it calls open no
test sees yet: they are not drawn.
"""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import concurrent.futures
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import plant
from overlay import Overlay
from plant import ROOT, Failure

LISTS = ROOT / "test/mutants"
BELOW = ROOT / "build/dev"
HERE = ROOT / "build/mutants"
QUICK = 4.0   # seconds: of the tests that an entry does not name, those below it run
LIMIT = 20.0  # a mutant may take so many times as long as no mutant, and at least these seconds


def say(text):
    print(text, flush=True)


class Runner:
    """Tests by what entries call them: NAME, or NAME:FILTER for a part of it."""

    def __init__(self, overlay, reached, jobs):
        self.overlay, self.reached, self.jobs = overlay, reached, jobs
        self.tests = overlay.tests()
        self.times = {}
        self.scratch = HERE / "scratch"

    def words(self, call):
        """The command of a test or of a part of it, its environment and the status of a skip."""
        name, _, part = call.partition(":")
        if name not in self.tests:
            raise Failure(f"no test is named '{name}'")
        command, environment, skip = self.tests[name]
        if part:
            program = os.path.basename(command[0])
            if program == "lit":
                command = command + [f"--filter={part}"]
            elif program.endswith("_fuzz"):
                command = [command[0], *part.split(",")]
            else:
                command = command + [f"--gtest_filter={part}"]
        return command, environment, skip

    def build(self, calls):
        """Builds what these tests run, and what that loads."""
        targets = {name for name in self.reached if name.startswith("lib/libtenon") and ".so" in name}
        for call in calls:
            command, *_ = self.words(call)
            targets.update(name for name in self.reached if f"{HERE}/{name}" in command)
            if os.path.basename(command[0]) in ("lit", "conformance_test", "faults_test"):
                targets.update(name for name in self.reached if name in (
                    "bin/tenon-opt", "bin/tenon-run", "bin/tenon-tblgen", "bin/test/save-traces",
                    "bin/test/conformance-runner"))
        self.overlay.build(sorted(targets), self.jobs)

    def run(self, call, number, limit, slot=0):
        """Seconds, and why it failed or None."""
        command, environment, skip = self.words(call)
        folder = self.scratch / str(slot)  # of its own, since tests leave files where they run
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        environment = dict(os.environ, **environment, TENON_MUTANT=str(number), GTEST_FAIL_FAST="1",
                           TENON_MUTANT_FOLDER=str(folder))
        log = self.scratch / f"{slot}.log"

        def prepare():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with open("/proc/self/oom_score_adj", "w") as score:  # a mutant may want all memory
                score.write("900")

        start = time.monotonic()
        with open(log, "wb") as output:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, preexec_fn=prepare)
            try:
                status = process.wait(timeout=limit)
                why = None if status == 0 or status == skip else f"status {status}"
            except subprocess.TimeoutExpired:
                why = f"no end in {limit:.0f} s"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what it has left behind
            except ProcessLookupError:
                pass
            process.wait()
        seconds = time.monotonic() - start
        text = log.read_text(errors="replace")
        if number == 0 and "Running 0 tests" in text:
            why = "the filter names no test"
        return seconds, why, text

    def measure(self, calls, pool):
        """Each test without a mutant: it has to pass."""
        calls = [call for call in calls if call not in self.times]
        failures = []
        for call, (seconds, why, text) in zip(calls, pool.map(
                lambda item: self.run(item[1], 0, 900, f"plain-{item[0]}"), enumerate(calls))):
            if why:
                failures.append(f"{call} fails without a mutation ({why}):\n{text[-3000:]}")
            self.times[call] = seconds
        if failures:
            raise Failure("\n".join(failures))

    def kill(self, mutation, calls):
        """The first test that fails, how, and the seconds until then; None if all pass."""
        start = time.monotonic()
        for call in calls:
            limit = max(LIMIT, LIMIT * self.times[call])
            seconds, why, _ = self.run(call, mutation.number, min(limit, 300), mutation.name)
            if why:
                return call, why, time.monotonic() - start
        return None


def draw(mutations, count):
    """Some, by the commit: another run of it draws the same. None of a header, of which half the tree is built again."""
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], check=True, text=True,
                            capture_output=True).stdout
    drawn = random.Random(commit.strip()).sample(mutations, min(count, len(mutations)))
    return sorted(drawn, key=lambda mutation: mutation.number)


def programs_of(mutations):
    """By source: the programs of the tests that its mutations name."""
    programs = collections.defaultdict(set)
    for mutation in mutations:
        programs[mutation.file].update(call.partition(":")[0] for call in mutation.named)
    return programs


def choose(arguments):
    every = plant.read_list(LISTS)
    plant.check(every)
    chosen = every
    if arguments.room:
        chosen = [m for m in chosen if m.room in arguments.room]
    if arguments.names:
        unknown = set(arguments.names) - {m.name for m in every}
        if unknown:
            raise Failure(f"no mutation is named {', '.join(sorted(unknown))}")
        chosen = [m for m in chosen if m.name in arguments.names]
    if arguments.draw is not None:
        chosen = draw([m for m in chosen if not (m.equal or m.open) and m.file.endswith(".cpp")], arguments.draw)
    return every, chosen


def hunt(runner, chosen, pool, named_alone):
    """Runs the tests of every mutation, `named_alone`: only those that its entry names; gives those that survive."""
    start = time.monotonic()
    named = list(dict.fromkeys(call for m in chosen for call in m.tests))
    runner.build(named)
    runner.measure(named, pool)
    say(f"{len(named)} tests pass without a mutation, {time.monotonic() - start:.0f} s with their build")
    alive = []
    futures = {pool.submit(runner.kill, m, m.tests): m for m in chosen}
    for future in concurrent.futures.as_completed(futures):
        mutation, killer = futures[future], future.result()
        if killer:
            say(f"  killed    {mutation.name}: {killer[0]} ({killer[1]}), {killer[2]:.1f} s")
        else:
            alive.append(mutation)
            if named_alone:
                say(f"  SURVIVES  {mutation.name}: {mutation.file}: '{mutation.old}' as '{mutation.new}'")
    if named_alone or not alive:
        return alive
    # What its own tests let live meets the rest.
    rest = [name for name, (command, *_) in runner.tests.items()
            if command and any(f"{HERE}/{made}" == command[0] for made in runner.reached)]
    runner.build(rest + ["lit"])
    rest = [call for call in rest if call not in runner.times] + ["lit"]
    runner.measure(rest, pool)
    rest = [call for call in rest if runner.times[call] < QUICK or call == "lit"]
    survivors = []
    futures = {pool.submit(runner.kill, m, [call for call in rest if call not in m.tests]): m for m in alive}
    for future in concurrent.futures.as_completed(futures):
        mutation, killer = futures[future], future.result()
        if killer:
            say(f"  killed    {mutation.name}: {killer[0]} ({killer[1]}), which its entry does not name")
        else:
            say(f"  SURVIVES  {mutation.name}: {mutation.file}: '{mutation.old}' as '{mutation.new}'")
            survivors.append(mutation)
    return survivors


def main():
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; by default all")
    parser.add_argument("--room", action="append", help="only those of test/mutants/ROOM.mut")
    parser.add_argument("--draw", type=int, metavar="N", help="N of those in .cpp files, drawn by the commit")
    parser.add_argument("--named", action="store_true", help="run no tests but those that the entries name")
    parser.add_argument("--check", action="store_true", help="only: does each entry find its old text?")
    parser.add_argument("--list", action="store_true", help="print the entries")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    every, chosen = choose(arguments)
    equal = [m for m in chosen if m.equal]
    if arguments.list:
        for m in chosen:
            say(f"{m.room}/{m.name}: {m.file}: '{m.old}' as '{m.new}'" + (f"; equal: {m.equal}" if m.equal else ""))
    if arguments.check or arguments.list:
        say(f"{len(chosen)} mutations, {len(equal)} of them equal")
        return 0

    start = time.monotonic()
    chosen = [m for m in chosen if not m.equal]
    copy = HERE / "source"
    plant.plant(chosen, copy)
    overlay = Overlay(ROOT, BELOW, HERE, copy)
    reached = overlay.affected(programs_of(chosen))
    overlay.write(reached)
    runner = Runner(overlay, reached, arguments.jobs)
    runner.scratch.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        survivors = hunt(runner, chosen, pool, arguments.named)
    for m in equal:
        say(f"  equal     {m.name}: {m.equal}")
    say(f"{len(chosen)} mutations, {len(chosen) - len(survivors)} killed, {len(survivors)} survive, {len(equal)} more "
        f"are equal; {time.monotonic() - start:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"mutants: {failure}", file=sys.stderr)
        sys.exit(2)
