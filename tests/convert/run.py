#!/usr/bin/env python3
"""Builds the sleeping tests of tests.tsv, runs each one bare, and with --convert converts it and runs its script.

Results are one JSON object a line, in bare.jsonl and convert.jsonl of the folder; what has a line there is not done again. Runs
may follow later: with --runs 0 first, conversions have the machine for themselves.
"""
import argparse
import contextlib
import csv
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BARE_LIMIT = 31  # seconds of one bare run; a test of over 30 seconds is left out
CONVERT_LIMIT = 400
PARTS = ("package", "version", "tarball", "unpacked", "needs", "prepare", "below", "build")
TEST = ("package", "path", "status", "arguments", "seconds", "clock", "reason")
COLUMNS = ("package", "path", "arguments", "result", "sleeps", "failed", "runs", "lines", "bare", "convert", "run", "reason")


def read_table(path, columns):
    with open(path, encoding="utf-8", newline="") as f:
        rows = [r for r in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if r and not r[0].startswith("#")]
    return [dict(zip(columns, ("" if c == "-" else c for c in r))) for r in rows]


class Journal:
    """Results by key, one JSON object a line."""

    def __init__(self, path):
        self.path, self.done = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.done = {r["key"]: r for r in map(json.loads, f)}

    def add(self, key, record):
        self.done[key] = {"key": key, **record}
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps(self.done[key]) + "\n")


def key_of(test):
    return " ".join(filter(None, (test["package"], test["path"], test["arguments"])))


class Sources:
    """Source packages, unpacked below the folder src."""

    def __init__(self, directory, parts):
        self.directory, self.parts, self.ready = directory, parts, set()

    def top(self, package):
        return os.path.join(self.directory, "src", package)

    def apt(self, *arguments, cwd):
        state = os.path.join(self.directory, "apt")
        sources = os.path.join(state, "corpus.sources")
        if not os.path.exists(sources):
            os.makedirs(os.path.join(state, "lists", "partial"))
            os.makedirs(os.path.join(state, "cache", "archives", "partial"))
            with open(sources, "w", encoding="utf-8") as f:
                f.write("Types: deb-src\nURIs: http://deb.debian.org/debian\nSuites: bookworm\nComponents: main\n"
                        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
            self.apt("update", cwd=cwd)
        subprocess.run(["apt-get", "-qq", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null",
                        "-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User=root",
                        *arguments], cwd=cwd, check=True)

    def prepare(self, package):
        """Downloads, unpacks and prepares a package once."""
        mark = os.path.join(self.top(package), ".prepared")
        if package in self.ready or os.path.exists(mark):
            return
        part = next(p for p in self.parts if p["package"] == package)
        files = os.path.join(self.directory, "files")
        os.makedirs(files, exist_ok=True)
        if not os.path.exists(os.path.join(files, part["tarball"])):
            self.apt("source", "--only-source", "--download-only", f"{package}={part['version']}", cwd=files)
        shutil.rmtree(self.top(package), ignore_errors=True)
        os.makedirs(self.top(package))
        subprocess.run(["tar", "xf", os.path.join(files, part["tarball"]), "-C", self.top(package), "--strip-components=1",
                        "--wildcards", *(part["unpacked"] or "*").split()], check=True)
        if part["prepare"]:
            subprocess.run(part["prepare"], shell=True, cwd=self.top(package), check=True)
        with open(mark, "w", encoding="utf-8"):
            self.ready.add(package)

    def build(self, test):
        """Returns the path of the program, or None and the first error of the compiler."""
        package, path = test["package"], test["path"]
        self.prepare(package)
        out = os.path.join(self.directory, "bin", package, path.replace("/", "+").rsplit(".", 1)[0])
        if os.path.exists(out):
            return out, None
        os.makedirs(os.path.dirname(out), exist_ok=True)
        part = next(p for p in self.parts if p["package"] == package and path.startswith(p["below"]))
        plain_c = path.endswith(".c")
        words = {"@CC@": "gcc" if plain_c else "g++", "@CLANG@": "clang-14" if plain_c else "clang++-14",
                 "@TOP@": self.top(package), "@SRC@": os.path.join(self.top(package), path), "@OUT@": out + ".new"}
        command = part["build"]
        for word, value in words.items():
            command = command.replace(word, value)
        r = subprocess.run(command.split(), capture_output=True, text=True, errors="replace")
        if r.returncode == 0:
            os.replace(out + ".new", out)
            return out, None
        errors = [line for line in r.stderr.splitlines() if "error" in line or "undefined" in line]
        return None, (errors or ["the compiler fails"])[0].replace(self.directory, "")


def run_limited(command, cwd, limit):
    """Returns status (None after the limit), seconds, output and errors. The whole session of the command is killed at its end."""
    began = time.monotonic()
    with open(os.path.join(cwd, ".out"), "w+b") as out, open(os.path.join(cwd, ".err"), "w+b") as err:
        child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        seconds = time.monotonic() - began
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read(1 << 20).decode(errors="replace"))
    return status, round(seconds, 3), *texts


@contextlib.contextmanager
def busy(wanted):
    """Keeps every processor busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if wanted else 0)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


class Corpus:
    def __init__(self, options):
        self.options, self.directory = options, os.path.abspath(options.dir)
        self.sources = Sources(self.directory, read_table(os.path.join(HERE, "packages.tsv"), PARTS))
        os.makedirs(self.directory, exist_ok=True)
        self.bare = Journal(os.path.join(self.directory, "bare.jsonl"))
        self.suffix = "-needed" if options.needed else ""
        self.converted = Journal(os.path.join(self.directory, f"convert{self.suffix}.jsonl"))

    def cwd(self, key):
        """An empty folder for each run, with the folder log that tests of ace write to."""
        path = os.path.join(self.directory, "run", hashlib.md5(key.encode()).hexdigest()[:12])
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(os.path.join(path, "log"))
        return path

    def run_bare(self, test):
        key = key_of(test)
        program, error = self.sources.build(test)
        if error:
            return {"error": error}
        command = [program, *test["arguments"].split()]
        runs = [run_limited(command, self.cwd(key), BARE_LIMIT)]
        if runs[0][0] is not None:
            runs.append(run_limited(command, self.cwd(key), BARE_LIMIT))
        return {"statuses": [r[0] for r in runs], "seconds": [r[1] for r in runs], "line": first_line(runs[0][3] + runs[0][2])[:200]}

    def run_convert(self, test):
        key, gatectl = key_of(test), os.path.abspath(self.options.gatectl)
        program, _ = self.sources.build(test)
        cwd = self.cwd(key)
        script = os.path.join(self.directory, "scripts", os.path.basename(cwd) + self.suffix + ".lua")
        os.makedirs(os.path.dirname(script), exist_ok=True)
        command = [program, *test["arguments"].split()]
        convert = [gatectl, "convert", *(["--needed"] if self.options.needed else []), "-o", script, "--", *command]
        status, seconds, out, err = run_limited(convert, cwd, CONVERT_LIMIT)
        record = {"status": status, "convert": seconds, "out": out[-4000:], "err": err[-2000:], "script": script}
        if status != 0 or not os.path.exists(script):
            return {**record, "reason": "no end within the limit" if status is None else first_line(err) or first_line(out)}
        with open(script, encoding="utf-8") as f:
            return {**record, "lines": sum(1 for _ in f), "runs": []}

    def lacks_runs(self, test):
        return len(self.converted.done[key_of(test)].get("runs", range(self.options.runs))) < self.options.runs

    def run_script(self, test):
        """The record of the conversion, with all runs of the script."""
        key = key_of(test)
        program, _ = self.sources.build(test)
        record = {**self.converted.done[key], "runs": []}
        command = [os.path.abspath(self.options.gatectl), "run", "-g", record["script"], "--", program, *test["arguments"].split()]
        for half in (False, True):
            with busy(half):
                for _ in range(self.options.runs // 2 if half else self.options.runs - self.options.runs // 2):
                    r = run_limited(command, self.cwd(key), CONVERT_LIMIT)
                    record["runs"].append({"busy": half, "status": r[0], "seconds": r[1], "line": first_line(r[3])[:200]})
        return record

    def row(self, test):
        key = key_of(test)
        record, bare = self.converted.done[key], self.bare.done[key]
        row = dict.fromkeys(COLUMNS, "-")
        row.update({c: test[c] for c in ("package", "path", "arguments")}, bare=round(statistics.median(bare["seconds"]), 3),
                   convert=record["convert"], result="refused", reason=record.get("reason", ""))
        if "runs" in record:
            failed = [r for r in record["runs"] if r["status"] != bare["statuses"][0]]
            sleeps = re.search(r"(\d+ of \d+) sleeps", record["out"])
            row.update(result="converted", sleeps=sleeps[1] if sleeps else "-", failed=len(failed), runs=len(record["runs"]),
                       lines=record["lines"], run=round(statistics.median(r["seconds"] for r in record["runs"]), 3) if record["runs"] else "-",
                       reason=failed[0]["line"] if failed else "")
        row["reason"] = row["reason"].replace(os.path.join(self.directory, "bin", ""), "")
        return [str(row[c]).replace("\t", " ") or "-" for c in COLUMNS]

    def write_table(self, tests):
        rows = [self.row(t) for t in tests if key_of(t) in self.converted.done]
        path = os.path.join(self.directory, f"table{self.suffix}.tsv")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines("\t".join(r) + "\n" for r in [COLUMNS, *rows])
        done = [r for r in rows if r[3] == "converted"]
        print(f"{len(done)} of {len(rows)} converted, {sum(r[5] != '0' for r in done)} of them with failed runs: {path}")


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--dir", default=os.path.join(ROOT, "build", "convert"), help="folder for everything (default: build/convert)")
    p.add_argument("--gatectl", default=os.path.join(ROOT, "build", "gatectl"))
    p.add_argument("--tests", default=os.path.join(HERE, "tests.tsv"), help="list of tests, by default tests.tsv beside this file")
    p.add_argument("-k", dest="pattern", default="", help="tests whose package, path and arguments contain the pattern")
    p.add_argument("--every", type=int, default=1, metavar="N", help="each N-th of these tests")
    p.add_argument("--convert", action="store_true", help="convert each test and run its script")
    p.add_argument("--needed", action="store_true", help="convert with --needed: only orders that the outcome depends on")
    p.add_argument("--runs", type=int, default=20, metavar="N", help="runs of each script, half of them on busy processors")
    return p.parse_args()


def main():
    options = parse()
    corpus = Corpus(options)
    tests = [t for t in read_table(options.tests, TEST) if t["status"] == "taken" and options.pattern in key_of(t)]
    tests = tests[::options.every]
    for number, test in enumerate(tests, 1):
        key = key_of(test)
        if key not in corpus.bare.done:
            corpus.bare.add(key, corpus.run_bare(test))
            print(f"{number}/{len(tests)} {key}: {corpus.bare.done[key]}", flush=True)
        if options.convert and key not in corpus.converted.done and "statuses" in corpus.bare.done[key]:
            corpus.converted.add(key, corpus.run_convert(test))
            print(f"{number}/{len(tests)} {key}: {corpus.row(test)[3:]}", flush=True)
        if options.convert and key in corpus.converted.done and corpus.lacks_runs(test):
            corpus.converted.add(key, corpus.run_script(test))
            print(f"{number}/{len(tests)} {key}: {corpus.row(test)[3:]}", flush=True)
    if options.convert:
        corpus.write_table(tests)


if __name__ == "__main__":
    main()
