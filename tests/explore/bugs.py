#!/usr/bin/env python3
"""The classic concurrency bugs of this folder, each with its repaired twin: what they are called, how they fail, how
they are built. Run by itself it builds them: bugs.py [--build gcc-O0]... [--all-builds] [NAME...]"""
import argparse
import concurrent.futures
import dataclasses
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, "build", "explore")
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
BUILDS = ("gcc-O0", "gcc-O2", "clang-O0", "clang-O2")
FLAGS = ["-g", "-pthread", "-Wall", "-Wextra", "-Wshadow", "-Werror"]


@dataclasses.dataclass(frozen=True)
class Bug:
    name: str
    kinds: frozenset  # how it may fail: status, signal, deadlock, livelock
    threads: int  # main is one of them; of two processes, both
    note: str = ""
    source: str = ""  # where several share one source
    defines: tuple = ()
    counted: bool = True  # auto has to find it within 10,000 schedules
    language: str = "c"

    def path(self):
        return os.path.join(HERE, "bugs", f"{self.source or self.name}.{'cc' if self.language == 'c++' else 'c'}")

    def program(self, build="gcc-O0", fixed=False):
        return os.path.join(OUT, build, self.name + "_fixed" * fixed)


def c(name, kinds, threads, note="", **more):
    return Bug(name, frozenset(kinds.split()), threads, note, **more)


def cxx(name, kinds, threads, note="", **more):
    return c(name, kinds, threads, note, language="c++", **more)


def crowd(source, n, **more):
    return c(f"{source}_{n}", "status", n + 1, f"{n} threads", source=source, defines=(f"-DTHREADS={n}",), **more)


BUGS = (
    # memory, no lock or the wrong one
    c("lost_update", "status", 3),
    c("wrong_lock", "status", 3),
    c("circular_list", "status", 3),
    c("static_buffer", "status", 3),
    c("escaped_local", "status", 3, "the shared variable is a local of main"),
    c("missed_join", "status", 2, "main leaves early"),
    c("phases", "status", 3, "the twin has a pthread_barrier"),
    crowd("reorder", 3),
    crowd("reorder", 5),
    crowd("reorder", 10),
    crowd("reorder", 20),
    crowd("reorder", 100, counted=False),
    # atomicity, every access locked
    c("check_then_act", "status", 3),
    c("bank", "status", 3),
    c("transfer", "status", 3),
    c("rwlock_upgrade", "status", 3),
    c("twostage", "status", 3),
    crowd("twostage", 20),
    crowd("twostage", 100, counted=False),
    # without locks
    c("peterson", "status", 3),
    c("dekker", "status livelock", 3),
    c("spinlock", "status", 3),
    c("seqlock", "status", 3),
    c("aba_stack", "status", 3),
    c("work_stealing", "status", 3),
    c("safestack", "status livelock", 4, "three slots; the paper counts the status alone"),
    c("double_checked", "status", 3),
    c("lost_stop", "livelock", 3, "bare, it does not end when it fails"),
    c("futex", "deadlock", 4, "a raw futex"),
    # deadlocks
    c("abba", "deadlock", 3),
    c("deadlock3", "deadlock", 4),
    c("philosophers", "deadlock", 4, "semaphores"),
    c("permits", "deadlock", 3, "one semaphore"),
    c("once_deadlock", "deadlock", 3, "pthread_once"),
    c("cancel_lock", "deadlock", 2, "pthread_cancel"),
    c("signal_lock", "deadlock", 2, "a signal handler"),
    # conditions and counts
    c("lost_wakeup", "deadlock", 3),
    c("signal_before_wait", "deadlock", 2),
    c("notify_one", "deadlock", 3, "which of the waiters is woken"),
    c("pool_shutdown", "deadlock", 3),
    c("event_reset", "deadlock", 3),
    c("barrier_reuse", "deadlock", 3),
    c("bounded_buffer", "status", 3),
    c("semaphore", "status", 4),
    c("readers_count", "status deadlock", 4),
    # lifetimes
    c("uaf_shutdown", "signal", 2),
    c("double_free", "signal", 3),
    c("stale_lookup", "signal", 3),
    c("fd_close", "status", 3, "a close and a write of one descriptor"),
    # time, signals, system calls, processes
    c("timeout_event", "status", 3, "a time-out of 1 ms"),
    c("sleep_order", "status", 3, "a sleep of 20 ms"),
    c("signal_pair", "status", 2, "a signal handler"),
    c("pipe_message", "status", 3, "reads of a pipe"),
    c("process_update", "status", 2, "two processes"),
    c("process_check", "status", 2, "two processes"),
    c("process_deadlock", "deadlock", 2, "two processes"),
    # C11 and C++
    c("c11_trylock", "status", 3),
    cxx("cxx_async", "status", 3),
    cxx("cxx_condition", "deadlock", 2),
    cxx("cxx_cas", "status", 3),
    cxx("cxx_iterator", "status signal", 3),
    cxx("cxx_weak_ptr", "signal", 3),
    cxx("cxx_atomic_wait", "deadlock", 3, "std::atomic::wait"),
)
BY_NAME = {bug.name: bug for bug in BUGS}


def newer(path, than):
    return os.path.exists(path) and all(os.path.getmtime(path) >= os.path.getmtime(other) for other in than)


def compile_one(bug, build, fixed, extra):
    out = bug.program(build, fixed)
    sources = [bug.path(), os.path.join(HERE, "bugs", "bug.h"), os.path.abspath(__file__)]
    if newer(out, sources) and not extra:
        return out
    name, level = build.split("-")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    is_cxx = bug.language == "c++"
    command = [COMPILERS[name][is_cxx], "-std=c++20" if is_cxx else "-std=gnu11", "-" + level, *FLAGS, *bug.defines, *["-DFIXED"] * fixed, *extra]
    p = subprocess.run([*command, "-o", out, bug.path()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        raise SystemExit(f"{' '.join(command)} {bug.path()}\n{p.stdout}")
    return out


def build_all(bugs=BUGS, builds=("gcc-O0",), twins=True, extra=()):
    """Build what is not there yet, into build/explore/BUILD/NAME and NAME_fixed."""
    jobs = [(bug, build, fixed, tuple(extra)) for bug in bugs for build in builds for fixed in (False, True)[:1 + twins]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: compile_one(*job), jobs))


def named(names):
    """The bugs of these names; all when there are none."""
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        sys.exit(f"no such bug: {' '.join(unknown)}")
    return [BY_NAME[name] for name in names] or list(BUGS)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", action="append", choices=BUILDS)
    options.add_argument("--all-builds", action="store_true")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    builds = BUILDS if given.all_builds else given.build or BUILDS[:1]
    print(f"{len(build_all(named(given.names), builds))} programs in {os.path.relpath(OUT)}")


if __name__ == "__main__":
    main()
