"""A build folder over another: what depends on changed sources is built from a copy, the rest is taken as it is.

CMake's ninja file of the build below says how each file is made. For those that a changed source reaches, the
statements are written again with the copy's paths; each other file is named where it lies.
"""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import subprocess

from plant import FOLDERS, Failure, write_if_changed


# What lit has to know of a mutant: its number, and a place for its files.
SITE = """import os
config.environment["TENON_MUTANT"] = os.environ.get("TENON_MUTANT", "0")
config.test_exec_root = os.environ.get("TENON_MUTANT_FOLDER", config.test_exec_root)
"""


class Statement:
    """`build OUTPUTS | IMPLICIT: RULE INPUTS | IMPLICIT || ORDER` and its variables."""

    def __init__(self, line):
        head, _, tail = line[len("build "):].partition(": ")
        self.outputs = [words.split() for words in head.split(" | ")]
        self.rule, _, inputs = tail.partition(" ")
        # What comes after || is the order alone, which the build below has kept.
        self.inputs = [words.split() for words in inputs.split("|| ")[0].split("| ")]
        self.variables = []

    @property
    def made(self):
        return sum(self.outputs, [])

    @property
    def used(self):
        return sum(self.inputs, [])

    @property
    def compiles(self):
        return "_COMPILER__" in self.rule


class Overlay:
    def __init__(self, root, below, folder, copy):
        self.root, self.below, self.folder, self.copy = root, below, folder, copy
        self.statements = self._read()
        self.maker = {name: s for s in self.statements for name in s.made}

    def _read(self):
        statements = []
        for line in (self.below / "build.ninja").read_text().splitlines():
            if line.startswith("build "):
                statements.append(Statement(line))
            elif line.startswith("  ") and statements:
                statements[-1].variables.append(line)
        return [s for s in statements if s.rule not in ("phony", "CUSTOM_COMMAND", "RERUN_CMAKE", "CLEAN", "HELP")]

    def _headers(self):
        """What each object was made of, as the build below has noted it."""
        text = subprocess.run(["ninja", "-C", str(self.below), "-t", "deps"], check=True, text=True,
                              capture_output=True).stdout
        headers, names = {}, []
        for line in text.splitlines():
            if line.startswith("    "):
                names.append(os.path.normpath(os.path.join(self.below, line.strip())))
            elif ": #deps" in line:
                names = headers.setdefault(line.split(": #deps")[0], [])
        return headers

    def affected(self, programs):
        """Outputs that changed sources reach. `programs` says for each changed source which tests look at it: no
        other test is compiled for a header, nor a library for a public one (of an inline function the linker
        takes the test's)."""
        headers = self._headers()
        programs = {f"{self.root}/{name}": tests for name, tests in programs.items()}
        changed = set(programs)
        public = {name for name in changed if name.startswith(f"{self.root}/include/")}
        # Whatever is run or loaded is linked again: programs find what they load beside themselves.
        reached = {name for s in self.statements if not s.compiles and "STATIC" not in s.rule for name in s.made}
        for statement in self.statements:
            if not statement.compiles:
                continue
            made = statement.made[0]
            needs = changed & set(statement.used + headers.get(made, []))
            if made.startswith("test/"):
                test = made.split("/CMakeFiles/")[1].split(".dir/")[0]
                needs = {name for name in needs if name in statement.used or test in programs[name]}
            else:
                needs -= public
            # A test that was told the paths of what it loads.
            told = any(line.startswith("  DEFINES") and f"{self.below}/" in line for line in statement.variables)
            if needs or told:
                reached.update(statement.made)
        more = True
        while more:
            more = False
            for statement in self.statements:
                if not statement.compiles and not reached.issuperset(statement.made) and \
                        not reached.isdisjoint(statement.used):
                    reached.update(statement.made)
                    more = True
        return reached

    def _word(self, word, reached):
        if not word or word in reached or word.startswith(("/", "-")) or \
                (word not in self.maker and not (self.below / word).exists()):
            return word
        return f"{self.below}/{word}"

    def _copied(self, text):
        text = re.sub(rf"{re.escape(str(self.root))}/(?=({'|'.join(FOLDERS)})(/|\s|$))", f"{self.copy}/", text)
        return re.sub(rf"-I{re.escape(str(self.root))}(?=\s|$)", f"-I{self.copy}", text)

    def write(self, reached):
        out = ["ninja_required_version = 1.5", f"include {self.below}/CMakeFiles/rules.ninja"]
        for statement in self.statements:
            if not reached.intersection(statement.made):
                continue
            inputs = [[self._word(word, reached) for word in group] for group in statement.inputs]
            if statement.compiles:
                inputs = [[self._copied(word) for word in group] for group in inputs]
            out.append(f"build {' | '.join(' '.join(group) for group in statement.outputs)}: {statement.rule} "
                       f"{' | '.join(' '.join(group) for group in inputs)}")
            for line in statement.variables:
                name, _, value = line.partition(" = ")
                if statement.compiles:
                    if name.strip() == "INCLUDES":
                        value = self._copied(value)
                    elif name.strip() == "DEFINES":
                        value = value.replace(f"{self.below}/", f"{self.folder}/")
                    elif name.strip() == "FLAGS":
                        value += " -w"
                else:
                    value = " ".join(self._word(word, reached) for word in value.split(" "))
                    value = value.replace(f"rpath,{self.below}/", f"rpath,{self.folder}/")
                out.append(f"{name} = {value}")
        write_if_changed(self.folder / "build.ninja", "\n".join(out) + "\n")
        self._neighbours()

    def _neighbours(self):
        """What was put beside the programs when the build below was configured."""
        for name in os.listdir(self.below / "bin/test"):
            link = self.below / "bin/test" / name
            if link.is_symlink():
                (self.folder / "bin/test").mkdir(parents=True, exist_ok=True)
                (self.folder / "bin/test" / name).unlink(missing_ok=True)
                (self.folder / "bin/test" / name).symlink_to(os.readlink(link))
        site = (self.below / "test/lit.site.cfg.py").read_text().replace(str(self.below), str(self.folder))
        write_if_changed(self.folder / "test/lit.site.cfg.py",
                         site + SITE)

    def build(self, targets, jobs):
        done = subprocess.run(["ninja", "-C", str(self.folder), "-k", "0", "-j", str(jobs), *targets], text=True,
                              capture_output=True)
        if done.returncode:
            # What a compiler says comes after the name of what it did not make, up to the next step.
            said = "\n".join(part[:2000] for part in re.split(r"^\[\d+/\d+\] ", done.stdout, flags=re.M)
                             if "FAILED: " in part)
            raise Failure(f"the mutated copy does not build:\n{said[-6000:]}{done.stderr[-2000:]}")

    def tests(self):
        """Name to (command, environment, status of a skip), as CTest has them, on this build."""
        text = subprocess.run(["ctest", "--test-dir", str(self.below), "--show-only=json-v1"], check=True, text=True,
                              capture_output=True).stdout
        tests = {}
        for test in json.loads(text)["tests"]:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
            for change in properties.get("ENVIRONMENT_MODIFICATION", []):
                name, _, value = change.partition("=")
                environment[name] = value.removeprefix("set:")
            here = lambda text: text.replace(str(self.below), str(self.folder))
            tests[test["name"]] = ([here(word) for word in test.get("command", [])],
                                   {name: here(value) for name, value in environment.items()},
                                   properties.get("SKIP_RETURN_CODE", 0))
        return tests
