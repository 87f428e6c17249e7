#!/usr/bin/env python3
"""Puts faults into copies of the player and lets each play all scenarios: every one must be heard,
so `sotto scenario all` must end with 1. Without a fault it must end with 0."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import named
from source import SourceError

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAULTS = "Scripts/mutation/heard.txt"
# A whole run takes 82 s.
PATIENCE = 240
STATUS_WRONG = 1
# On a busy machine a key may come late and sound wrong: without a fault one good run of so many is
# enough, and a fault that is not heard is listened to again.
ATTEMPTS = 3


class Failure(Exception):
    """Nothing can be measured: a sentence."""


def changed(fault):
    """The files of a fault with it put in, as {path below Sources: text}."""
    texts = {}
    for hunk in fault.hunks:
        name = hunk.source
        if name not in texts:
            with open(f"{TOP}/Sources/{name}", encoding="utf-8") as file:
                texts[name] = file.read()
        old, new = hunk.old.strip("\n"), hunk.new.strip("\n")
        if texts[name].count(old) != 1:
            raise SourceError(
                f"{FAULTS}:{hunk.line}: '{fault.name}': {name} has the text "
                f"{texts[name].count(old)} times")
        texts[name] = texts[name].replace(old, new)
    return texts


def put(folder, texts):
    for name, text in texts.items():
        with open(f"{folder}/Sources/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def build(folder, texts, binary):
    """Builds the copy with these files and keeps the program; then takes the change back."""
    put(folder, texts)
    run = subprocess.run(
        ["swift", "build", "--product", "sotto"], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for name in texts:
        shutil.copy(f"{TOP}/Sources/{name}", f"{folder}/Sources/{name}")
    if run.returncode:
        raise Failure("a fault does not compile:\n" + run.stdout[-2000:])
    shutil.copy(f"{folder}/.build/debug/sotto", binary)


def listen(binary):
    """Ends with the status, and the first thing that was wrong."""
    environment = dict(os.environ, SOTTO_SOUNDS=f"{TOP}/Sounds")
    try:
        run = subprocess.run(
            [binary, "scenario", "all", "--output", "null"], env=environment, timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return None, "it does not end"
    wrong = [line.split(":", 1)[1].strip() for line in run.stdout.splitlines() if "WRONG" in line]
    return run.returncode, wrong[0] if wrong else ""


def listen_until(binary, wanted):
    """Listens until the status is the wanted one, or the attempts are used up."""
    for _ in range(ATTEMPTS):
        status, wrong = listen(binary)
        # A run to its end without a fault heard is an answer, not a late key.
        if status == wanted or status == 0:
            break
    return status, wrong


def main():
    began = time.monotonic()
    faults = named.read(f"{TOP}/{FAULTS}")
    folder = f"{TOP}/.build/mutate-heard"
    os.makedirs(folder, exist_ok=True)
    shutil.rmtree(f"{folder}/Sources", ignore_errors=True)
    # What has not changed is not built again: times stay.
    shutil.copytree(f"{TOP}/Sources", f"{folder}/Sources")
    # A fault may well be warned of.
    with open(f"{TOP}/Package.swift", encoding="utf-8") as file:
        manifest = file.read().replace("[.treatAllWarnings(as: .error)]", "[]")
    with open(f"{folder}/Package.swift", "w", encoding="utf-8") as file:
        file.write(manifest)
    for name in ["Tests", "Benchmarks"]:
        if not os.path.lexists(f"{folder}/{name}"):
            os.symlink(f"{TOP}/{name}", f"{folder}/{name}")
    programs = [("none", f"{folder}/sotto-0")]
    build(folder, {}, programs[0][1])
    for number, fault in enumerate(faults, 1):
        programs.append((fault.name, f"{folder}/sotto-{number}"))
        build(folder, changed(fault), programs[-1][1])
    print(f"{len(faults)} faults to be heard, built in {time.monotonic() - began:.0f} s", flush=True)
    # They sleep most of the time; too many at once would be late.
    with ThreadPoolExecutor(2) as pool:
        right = pool.submit(listen_until, programs[0][1], 0)
        results = list(
            pool.map(lambda program: listen_until(program[1], STATUS_WRONG), programs[1:]))
    status, wrong = right.result()
    if status != 0:
        raise Failure(f"without a fault the scenarios end with {status}: {wrong}")
    print("without a fault nothing is wrong")
    missed = 0
    for (name, _), (status, wrong) in zip(programs[1:], results):
        if status == STATUS_WRONG and wrong:
            print(f"  heard: {name}: {wrong}")
        else:
            print(f"not heard: {name} (status {status})")
            missed += 1
    print(f"{len(faults) - missed} of {len(faults)} faults are heard")
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, SourceError) as fault:
        print(f"sotto: {fault}", file=sys.stderr)
        sys.exit(1)
