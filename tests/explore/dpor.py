#!/usr/bin/env python3
"""explore --strategy dpor against every interleaving: generated programs of three threads, each with two to five steps.

The outcomes of all schedules have to be those of dpor_reference.py, no more and no less. A program is named by its
seed; --show SEED prints it."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

from dpor_reference import OBJECTS, REGISTERS, THREADS, outcomes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GATECTL = os.environ.get("GATECTL", os.path.join(ROOT, "build", "gatectl"))
STEPS_LEAST, STEPS_MOST, STEPS_ALL = 2, 5, 10
FOUND, NONE = 116, 0

# ---- programs --------------------------------------------------------------------------------------


def memory(r):
    reg, var = r.randrange(REGISTERS), r.randrange(2)
    return r.choice([[("read", reg, var)], [("write", var, r.randrange(1, 4))], [("copy", var, reg)]])


def atomic(r):
    reg, var = r.randrange(REGISTERS), r.randrange(2)
    return r.choice([[("add", reg, var)], [("cas", reg, var, r.randrange(1, 4))], [("read", reg, var)]])


def locked(r):
    m = r.randrange(2)
    return [("lock", m)] + r.choice([[], memory(r)]) + [("unlock", m)]


def nested(r):
    m = r.randrange(2)
    return [("lock", m), ("lock", 1 - m), ("unlock", 1 - m), ("unlock", m)]


def tried(r):
    reg = r.randrange(1, REGISTERS)
    return [("trylock", reg, 0), ("untry", reg, 0)]


def shared(r):
    return [(r.choice(["rdlock", "wrlock"]), 0)] + r.choice([[], memory(r)]) + [("rwunlock", 0)]


def counted(r):
    return [r.choice([("post", 0), ("post", 0), ("down", 0)])]


def waited(r):
    return r.choice([[("lock", 0), ("wait", 0, 0), ("unlock", 0)], [("signal", 0)], [("broadcast", 0)],
                     [("lock", 0), ("signal", 0), ("unlock", 0)]])


def quits(r):
    reg = r.randrange(REGISTERS)
    return [("read", reg, r.randrange(2)), ("quit", r.randrange(3, 6), reg)]


KINDS = [(memory,), (memory, atomic), (locked, memory), (locked, nested), (locked, tried, memory), (shared, memory),
         (counted, memory), (waited, memory), (waited, locked), (quits, memory)]


def program_of(seed):
    """Kinds of steps by turns. A part that does not fit into the thread's steps is drawn again."""
    r, kinds = random.Random(seed), KINDS[seed % len(KINDS)]
    while True:
        program = []
        for _ in range(THREADS):
            length, steps = r.randint(STEPS_LEAST, STEPS_MOST), []
            while len(steps) < length:
                part = r.choice(kinds)(r)
                if len(steps) + len(part) <= STEPS_MOST:
                    steps += part
                elif len(steps) >= STEPS_LEAST:
                    break
            program.append(steps)
        if sum(map(len, program)) <= STEPS_ALL:
            return program


# ---- as C ------------------------------------------------------------------------------------------

# Without the asm statement a compiler may make one instruction, which is one step, of a read and the copy after it.
C_OF = {
    "read": 'r{0} = v{1}; __asm__ volatile("" : "+r"(r{0}));',
    "write": "v{0} = {1};", "copy": "v{0} = r{1} + 1;", "add": "r{0} = __sync_fetch_and_add(&v{1}, 1);",
    "cas": "r{0} = __sync_bool_compare_and_swap(&v{1}, 0, {2});", "quit": "if (r{1}) _exit({0});",
    "lock": "pthread_mutex_lock(&m{0});", "unlock": "pthread_mutex_unlock(&m{0});",
    "trylock": "r{0} = !pthread_mutex_trylock(&m{1});", "untry": "if (r{0}) pthread_mutex_unlock(&m{1});",
    "rdlock": "pthread_rwlock_rdlock(&w{0});", "wrlock": "pthread_rwlock_wrlock(&w{0});", "rwunlock": "pthread_rwlock_unlock(&w{0});",
    "post": "sem_post(&s{0});", "down": "sem_wait(&s{0});",
    "wait": "pthread_cond_wait(&c{0}, &m{1});", "signal": "pthread_cond_signal(&c{0});", "broadcast": "pthread_cond_broadcast(&c{0});",
}


def c_of(program):
    lines = ["#include <fcntl.h>", "#include <pthread.h>", "#include <semaphore.h>", "#include <stdio.h>", "#include <unistd.h>"]
    for i in range(OBJECTS):
        lines += [f"static volatile int v{i};", f"static pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;",
                  f"static pthread_rwlock_t w{i} = PTHREAD_RWLOCK_INITIALIZER;", f"static sem_t s{i};",
                  f"static pthread_cond_t c{i} = PTHREAD_COND_INITIALIZER;"]
    lines.append(f"static int out[{THREADS}][{REGISTERS}];")
    for t, steps in enumerate(program):
        lines.append(f"static void *t{t}(void *p)\n{{")
        lines += [f"\tint r{i} = 0;" for i in range(REGISTERS)]
        lines += ["\t" + C_OF[op].format(*a) for op, *a in steps]
        lines += [f"\tout[{t}][{i}] = r{i};" for i in range(REGISTERS)]
        lines.append("\treturn p;\n}")
    numbers = [f"out[{t}][{i}]" for t in range(THREADS) for i in range(REGISTERS)] + [f"v{i}" for i in range(OBJECTS)]
    lines += ["int main(int argc, char **argv)\n{", f"\tpthread_t t[{THREADS}];", "\tchar text[200];", "\tint n, f;"]
    lines += [f"\tpthread_create(&t[{t}], 0, t{t}, 0);" for t in range(THREADS)]
    lines += [f"\tpthread_join(t[{t}], 0);" for t in range(THREADS)]
    lines += [f'\tn = snprintf(text, sizeof(text), "{" ".join(["%d"] * len(numbers))}\\n", {", ".join(numbers)});',
              "\tf = argc > 1 ? open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0600) : 1;", "\treturn write(f, text, n) != n;\n}"]
    return "\n".join(lines) + "\n"


# ---- a search --------------------------------------------------------------------------------------


def search(folder, program, compiler, flags, options):
    """Searches the program, built in the folder. It writes each outcome to the file `seen`, failures are in `found`. Returns the report."""
    here = lambda name: os.path.join(folder, name)
    with open(here("p.c"), "w") as f:
        f.write(c_of(program))
    subprocess.run([compiler, "-g", "-pthread", *flags.split(), here("p.c"), "-o", here("p")], check=True)
    p = subprocess.run([GATECTL, "explore", "-q", "--strategy", "dpor", "--all", "--runs", "100000", *options,
                        "-o", here("found"), "--report", here("r.json"), here("p"), here("seen")],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    if p.returncode not in (FOUND, NONE):
        raise RuntimeError(p.stderr[:500])
    with open(here("r.json")) as f:
        return json.load(f)


def explored(program, compiler, flags, options=()):
    """What explore has seen: (outcomes, its report)."""
    with tempfile.TemporaryDirectory(prefix="dpor-") as folder:
        report = search(folder, program, compiler, flags, ("--verify", "0", *options))
        path = os.path.join(folder, "seen")
        seen = set(open(path).read().split("\n")[:-1]) if os.path.exists(path) else set()
    for failure in report["failures"]:
        kind = failure["kind"]
        seen.add(f"status {failure['status']}" if kind == "status" else kind)
    return seen, report


def forced(seed, compiler, flags, runs=20):
    """For each failure: (kind, plain runs under its script that fail so, or None, and why there is no script)."""
    found = []
    with tempfile.TemporaryDirectory(prefix="dpor-") as folder:
        for failure in search(folder, program_of(seed), compiler, flags, ("--verify", str(runs)))["failures"]:
            same = None
            if failure.get("script"):
                plain = [GATECTL, "run", "-q", "-g", failure["script"], os.path.join(folder, "p"), os.path.join(folder, "seen")]
                same = sum(subprocess.run(plain, capture_output=True).returncode == 0 for _ in range(runs))
            found.append((failure["kind"], same, failure.get("no_script", "")))
    return found


def compare(seed, compiler="gcc", flags="-O0"):
    """(what differs, or "", and the report)"""
    program = program_of(seed)
    wanted = outcomes(program)
    seen, report = explored(program, compiler, flags)
    differs = "".join(f" missed [{o}]" for o in sorted(wanted - seen)) + "".join(f" impossible [{o}]" for o in sorted(seen - wanted))
    if report["distinct"] != report["schedules"]:
        differs += f" {report['schedules']} schedules, {report['distinct']} distinct"
    if "schedules that were not tried yet" in report.get("left_out", []):
        differs += " did not end"
    return differs, len(wanted), report


def print_forced(seeds, given):
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for seed, found in zip(seeds, pool.map(lambda s: forced(s, given.compiler, given.flags), seeds)):
            for kind, same, why in found:
                print(f"{seed}\t{kind}\t{'-' if same is None else f'{same} of 20'}\t{why}", flush=True)
                counts["no script" if same is None else "20 of 20" if same == 20 else "fewer"] += 1
    print(f"{len(seeds)} programs, {sum(counts.values())} failures: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["fewer"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="1-120", help="as 7 or 1-120")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--flags", default="-O0")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--forced", action="store_true", help="make the script of each failure, and 20 plain runs under it")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    given = parser.parse_args()
    if given.show:
        print(c_of(program_of(given.show)), end="")
        return 0
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    if given.forced:
        return print_forced(seeds, given)
    bad = traces = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for seed, (differs, count, report) in zip(seeds, pool.map(lambda s: compare(s, given.compiler, given.flags), seeds)):
            bad += differs != ""
            traces += report["schedules"]
            print(f"{seed}\t{count} outcomes\t{report['schedules']} schedules\t{'ok' if not differs else differs}", flush=True)
    print(f"{len(seeds)} programs, {traces} schedules, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
