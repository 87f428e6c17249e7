#!/usr/bin/env python3
"""Puts faults into a copy of the session's rules, one at a time, and says which no test notices.

Faults are made by rule (statements dropped or swapped, conditions negated or left out, cases,
numbers and comparisons changed), and by hand (Scripts/mutation/named.txt). All of them are compiled
at once; a variable of the environment chooses one. A fault is caught when a test fails or crashes,
or when the tests do not end. Survivors that cannot be caught are explained in
Scripts/mutation/explained.txt; with one that is not, or a named fault that is not caught, the
status is 1."""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import named
from rules import TEXT_ENUMS, Maker
from schemata import RUNTIME, Schemata
from source import Source, SourceError

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = "Scripts/mutation"
MODULE = "Sources/AudioSession"
# What decides. Texts, and the facade that only passes on, are left out.
FILES = [r"Machine\w*\.swift", r"State\.swift", r"Scene\.swift", r"Classifier\.swift",
         r"Blocker\.swift", r"Category\.swift", r"KnownApplications\.swift", r"SessionTime\.swift"]
# Of some files only a part.
PARTS = {"SessionTime.swift": r"public enum SessionTiming \{.*?\n\}"}
MEMORY = 4 << 30
# The property tests of the survivors: always the same histories, and fewer than in `make test`.
SEED = "1"
HISTORIES = "500"
# What the test program ends with when a filter leaves nothing.
NO_TESTS = 69


class Failure(Exception):
    """Nothing can be measured: a sentence."""


class Package:
    """A small package of the session's modules in which AudioSession is a copy that is changed."""

    def __init__(self, folder):
        self.folder = folder
        self.module = f"{folder}/{MODULE}"
        if os.path.isdir(self.module) and not os.path.islink(self.module):
            shutil.rmtree(self.module)
        subprocess.run([f"{TOP}/Scripts/pure-package", folder], check=True)
        os.unlink(self.module)
        shutil.copytree(f"{TOP}/{MODULE}", self.module)
        self.binary = f"{folder}/.build/debug/purePackageTests.xctest"

    def write(self, name, text):
        path = f"{self.module}/{name}"
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def build(self, *what):
        """Builds; gives the errors in the module as (file, line, column, message)."""
        run = subprocess.run(
            ["swift", "build", "-Xswiftc", "-suppress-warnings", *what], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with open(f"{self.folder}/build.log", "w", encoding="utf-8") as file:
            file.write(run.stdout)
        if run.returncode == 0:
            return []
        pattern = re.compile(
            rf"^{re.escape(self.module)}/([\w.]+):(\d+):(\d+): error: (.*)$", re.MULTILINE)
        errors = {(m[1], int(m[2]), int(m[3]), m[4]) for m in pattern.finditer(run.stdout)}
        if not errors:
            raise Failure(f"the copy of the sources does not build: {self.folder}/build.log")
        return sorted(errors)

    def test(self, number, arguments, limit):
        """Runs the tests with that fault in: what went wrong first, None when nothing did."""
        environment = dict(
            os.environ, SWIFT_BACKTRACE="enable=no", SOTTO_MUTANT=str(number),
            SOTTO_SEED=SEED, SOTTO_SEQUENCES=HISTORIES)
        process = subprocess.Popen(
            [self.binary, "--testing-library", "swift-testing", *arguments], env=environment,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True,
            preexec_fn=lambda: limits(limit))
        found = None
        try:
            for line in process.stdout:
                match = re.search(r'Test "?(.*?)"? recorded an issue', line)
                if match:
                    found = match[1]
                    break
        finally:
            if process.poll() is None and found:
                os.killpg(process.pid, signal.SIGKILL)
            process.stdout.close()
            status = process.wait()
        if found:
            return found
        if status in {-signal.SIGXCPU, -signal.SIGKILL}:
            return "(the tests do not end)"
        if status < 0:
            return "(a crash)"
        return None if status == 0 else f"(status {status})"


def limits(seconds):
    """In the child: a test that hangs, or eats memory, ends."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def processor_time():
    """The seconds that the processes that have ended took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sources():
    found = {}
    for name in sorted(os.listdir(f"{TOP}/{MODULE}")):
        if name.endswith(".swift"):
            with open(f"{TOP}/{MODULE}/{name}", encoding="utf-8") as file:
                found[name] = Source(name, file.read())
    return found


def by_rule(found):
    """Every fault that the rules make, and the changed sources."""
    enums = {}
    for source in found.values():
        enums.update({k: v for k, v in source.enums.items() if k not in TEXT_ENUMS})
    mutants, schemata = [], {}
    for name, source in found.items():
        if not any(re.fullmatch(pattern, name) for pattern in FILES):
            continue
        regions = None
        if name in PARTS:
            match = re.search(PARTS[name], source.text, re.DOTALL)
            if not match:
                raise Failure(f"{name} has no {PARTS[name]}")
            regions = [match.span()]
        edits = Maker(source, enums, mutants, regions=regions).make()
        schemata[name] = Schemata(source, edits, mutants)
    # The same change twice in a function is told apart by a number.
    seen = Counter()
    for mutant in mutants:
        seen[mutant.key] += 1
        if seen[mutant.key] > 1:
            mutant.change += f" ({seen[mutant.key]})"
    return mutants, schemata


def compile_all(package, mutants, schemata, may_drop):
    """Builds until everything compiles; what does not is dropped, and remembered for the next run
    with the same sources."""
    everything = "\n".join(s.source.text for s in schemata.values()) + str(mutants)
    memory = f"{package.folder}/dropped.json"
    name = hashlib.sha256(everything.encode()).hexdigest()
    if may_drop and os.path.exists(memory):
        with open(memory, encoding="utf-8") as file:
            for number in json.load(file).get(name, []):
                mutants[number].is_dropped = True
    for round_ in range(30):
        for file, schema in schemata.items():
            schema.write()
            package.write(file, schema.text)
        package.write("Mutant.swift", RUNTIME)
        errors = package.build("--target", "AudioSession") or package.build("--build-tests")
        if not errors:
            if may_drop:
                with open(memory, "w", encoding="utf-8") as file:
                    json.dump({name: [m.number for m in mutants if m.is_dropped]}, file)
            return
        found = set()
        for file, line, column, message in errors:
            blamed = schemata[file].blame(line, column, message) if file in schemata else []
            if blamed and not may_drop:
                who = ", ".join(f"'{mutants[n].change}'" for n in blamed)
                raise Failure(f"{file} does not compile with {who}: {message}")
            found.update(blamed)
        if not found:
            file, line, column, message = errors[0]
            raise Failure(f"{package.module}/{file}:{line}:{column} does not compile: {message}")
        for number in found:
            mutants[number].is_dropped = True
        print(f"  build {round_ + 1}: {len(errors)} errors, "
              f"{sum(m.is_dropped for m in mutants)} faults do not compile", flush=True)
    raise Failure("the sources with their faults do not build after 30 attempts")


def run(package, mutants, options, slow):
    """Runs the tests once for each fault, the slow ones only for what the others let pass."""
    skip = ["--skip", f"({'|'.join(SLOW + FOREIGN)})"]
    phases = [("the tests", skip)]
    if slow:
        phases.append(("the long tests", ["--filter", f"({'|'.join(SLOW)})"]))
    caught, left = {}, [m for m in mutants if not m.is_dropped]
    for what, arguments in phases:
        began, used = time.monotonic(), processor_time()
        fault = package.test(-1, arguments, 600)
        if fault == f"(status {NO_TESTS})":
            continue
        if fault:
            raise Failure(f"{what} fail without any fault: {fault}")
        once = processor_time() - used
        limit = int(2 + 5 * once)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = pool.map(lambda m: package.test(m.number, arguments, limit), left)
            for done, (mutant, result) in enumerate(zip(left, results), 1):
                if result:
                    caught[mutant.number] = result
                if sys.stdout.isatty():
                    print(f"\r  {done} of {len(left)}", end="\r", flush=True)
        left = [m for m in left if m.number not in caught]
        print(f"  {what} ({once:.1f} s): {len(left)} faults not caught, after "
              f"{time.monotonic() - began:.0f} s", flush=True)
    return caught


# Tests by name: those of many events, and those that do not touch the session's rules.
SLOW = ["Properties of", "ten thousand"]
FOREIGN = ["JSONTextTests", "DocumentTests", "Random histories"]


def explanations(path):
    """Reads the explained survivors: a reason, and indented under it the faults it is for."""
    reasons, reason = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("  "):
                reasons[line.strip()] = reason
            else:
                reason = line.strip()
    return reasons


def table(mutants, caught):
    rows = [("fault", "made", "caught", "survived", "not compiled")]
    kinds = sorted({m.rule for m in mutants}) + ["all"]
    for kind in kinds:
        these = [m for m in mutants if kind in {m.rule, "all"}]
        dropped = sum(m.is_dropped for m in these)
        dead = sum(m.number in caught for m in these)
        rows.append((kind, len(these), dead, len(these) - dropped - dead, dropped))
    for row in rows:
        print("  " + str(row[0]).ljust(12) + "".join(str(cell).rjust(14) for cell in row[1:]))


def options():
    parser = argparse.ArgumentParser(
        prog="Scripts/mutate", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="list the faults and stop")
    parser.add_argument("--named", action="store_true", help="only the named faults")
    parser.add_argument("--rule", action="store_true", help="only the faults made by rule")
    parser.add_argument("--file", metavar="NAME", help="only the faults of one source file")
    parser.add_argument("--fast", action="store_true", help="without the long tests")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="tests at once (default 2)")
    return parser.parse_args()


def main():
    chosen = options()
    began = time.monotonic()
    found = sources()
    mutants, schemata = by_rule(found)
    if chosen.file:
        mutants_of_file = [m for m in mutants if m.source == chosen.file]
        for mutant in mutants:
            mutant.is_dropped = mutant not in mutants_of_file
    faults_path = f"{HERE}/named.txt"
    faults = named.read(f"{TOP}/{faults_path}")
    by_hand, edits = named.edits(faults, found, faults_path)
    if chosen.list:
        for mutant in mutants:
            if not mutant.is_dropped:
                print(f"{mutant.number} {mutant.source}:{mutant.line} {mutant.key}")
        for mutant in by_hand:
            print(f"named {mutant.number} {mutant.source}:{mutant.line} {mutant.change}")
        return 0
    package = Package(f"{TOP}/.build/mutate")
    status, kept = 0, {}
    if not chosen.named:
        print(f"{len(mutants)} faults by rule", flush=True)
        compile_all(package, mutants, schemata, may_drop=True)
        caught = run(package, mutants, chosen, slow=not chosen.fast)
        kept["rule"] = [dict(key=m.key, line=m.line, dropped=m.is_dropped,
                             caught=caught.get(m.number)) for m in mutants]
        reasons = explanations(f"{TOP}/{HERE}/explained.txt")
        table(mutants, caught)
        survivors = [m for m in mutants if not m.is_dropped and m.number not in caught]
        for mutant in survivors:
            if mutant.key not in reasons:
                print(f"survived: {MODULE}/{mutant.source}:{mutant.line}: {mutant.key}")
                status = 1
        known = [m for m in survivors if m.key in reasons]
        print(f"{len(survivors)} survived, {len(known)} of them explained in {HERE}/explained.txt")
        stale = set(reasons) - {m.key for m in survivors}
        if not chosen.file and not chosen.fast:
            for key in sorted(stale):
                print(f"explained, but no survivor: {key}")
    if not chosen.rule and not chosen.file:
        print(f"{len(by_hand)} named faults", flush=True)
        for name, source in found.items():
            package.write(name, source.text)
        schemata = {n: Schemata(found[n], e, by_hand) for n, e in edits.items() if e}
        compile_all(package, by_hand, schemata, may_drop=False)
        caught = run(package, by_hand, chosen, slow=not chosen.fast)
        kept["named"] = [dict(name=m.change, caught=caught.get(m.number)) for m in by_hand]
        for mutant in by_hand:
            if mutant.number not in caught:
                print(f"not caught: {mutant.change} ({mutant.source}:{mutant.line})")
                status = 1
        print(f"{len(caught)} of {len(by_hand)} named faults caught")
    with open(f"{package.folder}/results.json", "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1)
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, SourceError) as fault:
        print(f"sotto: {fault}", file=sys.stderr)
        sys.exit(1)
