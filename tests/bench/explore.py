#!/usr/bin/env python3
"""What a search costs: its rate beside bare runs of the same program, how time and memory grow with threads and points (plots
in build/bench/explore), and what it costs to find out which accesses race. Called by bench.py; with --quick it only shows that all
of it works. All is measured, nothing is judged; in brackets is the spread, behind `load` that of the machine in the last minute."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

import plot

HERE = os.path.dirname(os.path.abspath(__file__))
STRATEGIES = ("random", "pct", "pos", "surw", "rff", "dfs", "auto")
STEPS = "10000000"  # no schedule is cut
THREADS, PER_THREADS = (2, 4, 8, 16, 32, 64), 1280
FLOOR = "copies of one process under bare ptrace, a fork each, without any point"
POINTS = (10, 100, 1000, 10000, 100000)


class Bench:
    def __init__(self, gatectl, out, quick):
        self.gatectl, self.out, self.quick = gatectl, os.path.join(out, "explore"), quick
        os.makedirs(self.out, exist_ok=True)
        self.sync, self.launcher, self.forked = self.build("sync"), self.build("launch"), self.build("forked")
        self.jobs = [jobs for jobs in (1, 2) if self.can(jobs)]

    def build(self, name):
        program = os.path.join(self.out, name)
        subprocess.run(["gcc", "-g", "-O1", "-o", program, os.path.join(HERE, name + ".c"), "-lpthread"], check=True)
        return program

    def launch(self, runs, cpu, *command):
        """Seconds, seconds of computing, KB of the largest process."""
        out = subprocess.run([self.launcher, str(runs), str(cpu), *command], check=True, stdout=subprocess.PIPE, text=True).stdout
        *numbers, status = out.strip().split("\n")[-1].split()
        if status != "0":
            raise RuntimeError(f"{' '.join(command)}: status {status}")
        return [float(n) for n in numbers]

    def copies(self, runs, cpu, *args):
        """Seconds: as many copies of one process under ptrace, without any point."""
        return float(subprocess.run([self.forked, str(runs), str(cpu), *map(str, args)], check=True, stdout=subprocess.PIPE, text=True).stdout)

    def can(self, jobs):
        try:
            return self.search((1, 1, "lock"), 1, jobs=jobs)
        except RuntimeError as e:
            print(f"-j {jobs} is left out: {e}")

    def search(self, args, runs, strategy="random", points="sync", jobs=1):
        """What the launcher measured of the whole command, and what the search says of itself."""
        report = os.path.join(self.out, "search.json")
        numbers = self.launch(1, -1, self.gatectl, "explore", "-q", "--strategy", strategy, "--points", points, "-j", str(jobs), "--runs", str(runs),
                              "--steps", STEPS, "-o", os.path.join(self.out, "found"), "--report", report, self.sync, *map(str, args))
        with open(report) as f:
            return numbers, json.load(f)


def load():
    return f"load {os.getloadavg()[0]:.1f}"


def spread(samples, unit=""):
    return f"{statistics.median(samples):.3g}{unit} [{min(samples):.3g} - {max(samples):.3g}]"


# ---- rate -------------------------------------------------------------------------------------------


def rates(b, args, count, rounds):
    """In turn, so that all see the same machine: runs per second of whole commands, and points per second."""
    cpu = min(os.sched_getaffinity(0))
    found = {name: [] for name in ("bare", "bare, on one processor", FLOOR, *(f"-j {jobs}" for jobs in b.jobs))}
    points = {f"-j {jobs}": [] for jobs in b.jobs}
    for _ in range(rounds):
        found["bare"].append(count / b.launch(count, -1, b.sync, *map(str, args))[0])
        found["bare, on one processor"].append(count / b.launch(count, cpu, b.sync, *map(str, args))[0])
        found[FLOOR].append(count / min(b.copies(count, -1, *args), b.copies(count, cpu, *args)))
        for jobs in b.jobs:
            (seconds, _, _), told = b.search(args, count, jobs=jobs)
            found[f"-j {jobs}"].append(told["schedules"] / seconds)
            points[f"-j {jobs}"].append(told["points"] / seconds)
    return found, points


def bench_rate(b):
    count, rounds = (50, 2) if b.quick else (2000, 9)
    for what, args in (("20 lock operations altogether", (3, 20, "lock")), ("20 lock operations a thread", (3, 60, "lock"))):
        found, points = rates(b, args, count, rounds)
        print(f"explore --strategy random --points sync, three threads, {what}, runs per second ({rounds} rounds of {count}, {load()}):")
        for name, samples in found.items():
            text = f"    {name}: {spread(samples, '/s')}"
            of = lambda other: spread([x / y for x, y in zip(samples, found[other])])
            if name == FLOOR or name in points:
                text += f", of the bare rate {of('bare')}, of that on one processor {of('bare, on one processor')}"
            if name in points:
                text += f", of those copies {of(FLOOR)}; {spread(points[name])} points per second"
            print(text, flush=True)


# ---- cost of a point ----------------------------------------------------------------------------------


def bench_points(b):
    """Milliseconds of a schedule and microseconds of a point, the bare start included, beside that start."""
    count, rounds = (20, 2) if b.quick else (200, 9)
    for threads, operations in ((100, 550), (3, 1200), (3, 20)):
        args = (threads, operations, "lock")
        schedule, point, bare = [], [], []
        for _ in range(rounds):
            bare.append(1e3 * b.launch(count, -1, b.sync, *map(str, args))[0] / count)
            _, told = b.search(args, count)
            schedule.append(1e3 * told["seconds"] / told["schedules"])
            point.append(1e6 * told["seconds"] / told["points"])
        print(f"explore --strategy random --points sync -j 1, {threads} threads, {told['points'] / told['schedules']:.0f} points a schedule "
              f"({rounds} rounds of {count}, {load()}): {spread(schedule, ' ms')} a schedule, {spread(point, ' us')} a point; "
              f"bare {spread(bare, ' ms')}", flush=True)


# ---- accesses to memory as points ---------------------------------------------------------------------


def bench_memory(b):
    """A thousand of them beside none, in the same program, in turn; of the whole command, by the processor's time, too."""
    count, rounds = (30, 2) if b.quick else (1000, 5)
    for kind, what in (("own", "each thread words of its own"), ("shared", "all the same word")):
        args = (3, 20, kind, 1000)
        print(f"explore --points memory beside --points sync, three threads, 20 lock operations, 1,000 accesses, {what} ({rounds} rounds of {count}, {load()}):")
        for strategy in STRATEGIES:
            if strategy == "dfs":
                continue  # there is no end of such schedules, and each is like the one before
            ratios, us = [], []
            for _ in range(rounds):
                (_, none, _), _ = b.search(args, count, strategy)
                (_, all_of, _), told = b.search(args, count, strategy, "memory")
                ratios.append(all_of / none)
                us.append((all_of - none) / told["points"] * 1e6)
            print(f"    {strategy}: {spread(ratios, 'x')}, {spread(us, ' us')} a point", flush=True)


# ---- growth -----------------------------------------------------------------------------------------


def runs_for(points, quick):
    """So many schedules that they take about as long together, and two at least."""
    return max(2, min(1000, (2000 if quick else 40000) // points))


def grown(b, strategy, kind, threads, operations):
    """Points of a schedule, ms of computing for it, us for a point, MB of gatectl. Of the time, what it takes to begin is left out."""
    begin = min(b.search((1, 1, kind), 1, strategy)[0][1] for _ in range(2 if b.quick else 5))
    (_, computing, kb), told = b.search((threads, operations, kind), runs_for(operations, b.quick), strategy)
    seconds = max(computing - begin, 1e-6)
    return told["points"] / told["schedules"], seconds / told["schedules"] * 1e3, seconds / told["points"] * 1e6, kb / 1024


def grow(b, name, x_name, sizes, measured):
    """measured(strategy, kind, size) -> x and the three figures of `grown`"""
    curves = [(s, "atomic") for s in STRATEGIES] + [("random", "lock")]
    titles = {"schedule": "ms of computing for a schedule", "point": "us of computing for a point", "memory": "MB of gatectl's largest process"}
    plots = {key: {} for key in titles}
    print(f"growth with {x_name}: {', '.join(titles.values())}")
    for strategy, kind in curves:
        label, told = f"{strategy}, {kind}", []
        for size in sizes:
            x, *figures = measured(strategy, kind, size)
            for key, y in zip(titles, figures):
                plots[key].setdefault(label, []).append((x, y))
            told.append(f"{x:,.0f}: {figures[0]:.3g} ms {figures[1]:.3g} us {figures[2]:.0f} MB")
        print(f"    {label} ({load()}): " + "; ".join(told), flush=True)
    for key, title in titles.items():
        path = os.path.join(b.out, f"{name}-{key}.svg")
        plot.draw(path, f"{title} ({load()})", x_name, plots[key])
        print(f"    {os.path.relpath(path, os.path.dirname(os.path.dirname(HERE)))}")


def bench_growth(b):
    threads, points, per = ((2, 8), (10, 100), 100) if b.quick else (THREADS, POINTS, PER_THREADS)
    grow(b, "threads", f"threads (that share {per:,} operations)", threads,
         lambda strategy, kind, n: (n, *grown(b, strategy, kind, n, per)[1:]))
    grow(b, "points", "points of a schedule (three threads)", points,
         lambda strategy, kind, n: grown(b, strategy, kind, 3, n))


# ---- which accesses race ----------------------------------------------------------------------------


def bench_races(b):
    print("the first runs of --points races (10 to 50, all accesses watched) beside the search without them, --runs 1, three threads:")
    for kind in ("lock", "race"):
        for operations in (20, 200) if b.quick else (20, 200, 2000, 20000):
            found = {"sync": [], "races": []}
            for _ in range(2 if b.quick else 5):
                for points, samples in found.items():
                    samples.append(b.search((3, operations, kind), 1, "random", points)[0][0] * 1e3)
            print(f"    {operations:,} operations, {'an access races' if kind == 'race' else 'nothing races'} ({load()}):"
                  f" {spread(found['races'], ' ms')}, without {spread(found['sync'], ' ms')}", flush=True)


# ---- a long schedule --------------------------------------------------------------------------------


def timed(*command):
    begun = time.monotonic()
    status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    return time.monotonic() - begun, status


def bench_long(b):
    """A failure after so many steps: what is done to its schedule takes n log n. Found without a script, then the script alone."""
    program, found = b.build("long"), os.path.join(b.out, "long-found")
    steps = 10000 if b.quick else 100000
    shutil.rmtree(found, ignore_errors=True)
    options = ("--steps", STEPS, "-j", "1")
    search, status = timed(b.gatectl, "explore", *options, "--verify", "0", "-o", found, program, str(steps // 2))
    if status != 116:
        print(f"a schedule of {steps:,} steps: it did not fail: status {status}")
        return
    with open(os.path.join(found, "1", "schedule"), encoding="utf-8") as f:
        kept = sum(1 for _ in f)
    script, status = timed(b.gatectl, "explore", "--gates", os.path.join(found, "1", "schedule"), "--verify", "1", "--gates-for", "10")
    replay, replayed = timed(b.gatectl, "replay", "--report", os.path.join(b.out, "long.json"), os.path.join(found, "1", "schedule"))
    print(f"a failure after {steps:,} steps (a schedule of {kept:,} lines, {load()}): searched and reported in {search:.1f} s; plan, story and"
          f" script with --gates-for 10 in {script:.1f} s (status {status}); replayed with a report in {replay:.1f} s (status {replayed})", flush=True)


def bench_explore(gatectl, out, quick=False):
    b = Bench(gatectl, out, quick)
    for bench in (bench_rate, bench_points, bench_memory, bench_growth, bench_races, bench_long):
        bench(b)


if __name__ == "__main__":
    ROOT = os.path.dirname(os.path.dirname(HERE))
    bench_explore(os.path.join(ROOT, "build", "gatectl"), os.path.join(ROOT, "build", "bench"), "--quick" in sys.argv[1:])
