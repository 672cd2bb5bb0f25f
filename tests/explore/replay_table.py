#!/usr/bin/env python3
"""Does a schedule replay anywhere? Schedules of the programs of replay/ are recorded here and replayed under other
circumstances; each must end as it did, with all steps agreeing. One line a program, one column a condition:

    replay_table.py [--schedules 100] [--jobs 2] [--conditions cache,user] [--root DIR] [NAME...]

A condition that this machine cannot make (no root, no unshare) is named below the table, and status 1. --root is a
clean system, as of debootstrap: static builds of the programs and gatectl are copied there. Without it a folder
with nothing but these is one."""
import argparse
import concurrent.futures
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GATECTL = os.environ.get("GATECTL", os.path.join(ROOT, "build", "gatectl"))
SOURCES = os.path.join(HERE, "replay")
KINDS = ("file", "pipe", "tty")  # of standard output, in turn
LIMIT_S = 600
NOBODY = 65534
COPIES = threading.Lock()


def build(name, folder, static):
    source = next(os.path.join(SOURCES, f) for f in os.listdir(SOURCES) if f.rsplit(".", 1)[0] == name)
    out = os.path.join(folder, "static" if static else "dynamic", name)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    compiler = "g++" if source.endswith(".cc") else "gcc"
    subprocess.run([compiler, "-g", "-O1", "-pthread", "-D_GNU_SOURCE", source, "-o", out, *(["-static"] if static else [])], check=True)
    return out


def record(program, seed, folder):
    """The path of a schedule, which ends with a status that is not 0."""
    out = os.path.join(folder, "schedules", os.path.basename(os.path.dirname(program)), os.path.basename(program), str(seed))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    p = subprocess.run([GATECTL, "explore", "-q", "-j", "1", "--runs", "1", "--strategy", "random", "--seed", str(seed), "--points", "memory",
                        "--verify", "0", "--stdout=" + KINDS[seed % len(KINDS)], "-o", out, program],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
    path = os.path.join(out, "1", "schedule")
    if p.returncode != 116 or not os.path.exists(path):
        raise RuntimeError(f"{program}, seed {seed}: explore ended with {p.returncode}: {p.stderr}")
    return path


# ---- conditions ----------------------------------------------------------------------------------------

class Place:
    """Where a replay is made: what comes before its command, and what is different."""

    def __init__(self, folder):
        self.folder, self.env, self.cwd, self.prefix, self.out, self.program = folder, dict(os.environ), None, [], "pipe", None
        self.gatectl = GATECTL


def mounted(place, script):
    own = [] if os.getuid() == 0 else ["-r"]
    place.prefix = ["unshare", *own, "-m", "sh", "-c", script + ' && exec "$@"', "sh"]


def longer_cache(place):
    cache = os.path.join(place.folder, "ld.so.cache")
    shutil.copy("/etc/ld.so.cache", cache)
    with open(cache, "ab") as f:
        f.write(bytes(3 * 4096))
    mounted(place, f"mount --bind {cache} /etc/ld.so.cache")


def no_symbols(place):
    mounted(place, "mount -t tmpfs none /usr/lib/debug")


def library_path(place):
    place.env["LD_LIBRARY_PATH"] = "/lib/x86_64-linux-gnu:/nowhere"


def other_directory(place):
    place.cwd = os.path.join(place.folder, "elsewhere")
    os.makedirs(place.cwd, exist_ok=True)

    def program(path):
        copy = os.path.join(place.cwd, "copy-of-" + os.path.basename(path))
        with COPIES:
            if not os.path.exists(copy):
                shutil.copy(path, copy)
        return copy
    place.program = program


def other_user(place):
    if os.getuid() != 0:
        raise OSError("only root can become another user")
    place.gatectl = os.path.join(place.folder, "gatectl")
    shutil.copy(GATECTL, place.gatectl)
    place.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    place.env.update(HOME="/proc/none", USER="nobody")


def longer_environment(place):
    place.env["LONG"] = "x" * 50000


def to(kind):
    def condition(place):
        place.out = kind
    return condition


def in_namespaces(place):
    own = [] if os.getuid() == 0 else ["-r"]
    place.prefix = ["unshare", *own, "-p", "-f", "-n", "-i", "-u", "-m", "--mount-proc"]


def libraries(path):
    return re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout)


def clean_system(place):
    root = options.root or os.path.join(place.folder, "clean")
    for folder in ("proc", "dev", "tmp", "table"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    shutil.copy(GATECTL, os.path.join(root, "table/gatectl"))
    os.makedirs(os.path.join(root, "table/lib"), exist_ok=True)
    loader = ""
    for library in libraries(GATECTL):
        shutil.copy(library, os.path.join(root, "table/lib"))
        loader = library if "ld-linux" in library else loader
    shutil.copytree(os.path.join(place.folder, "static"), os.path.join(root, "table/static"), dirs_exist_ok=True)
    shutil.copytree(os.path.join(place.folder, "schedules/static"), os.path.join(root, "table/schedules"), dirs_exist_ok=True)
    own = [] if os.getuid() == 0 else ["-r"]
    script = f"mount --rbind /proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot {root} \"$@\""
    place.prefix = ["unshare", *own, "-m", "sh", "-c", script, "sh", "/table/lib/" + os.path.basename(loader), "--library-path", "/table/lib"]
    place.gatectl = "/table/gatectl"
    place.program = lambda path: "/table/static/" + os.path.basename(path)


CONDITIONS = {
    "as it is": lambda place: None,
    "ld.so.cache": longer_cache,
    "LD_LIBRARY_PATH": library_path,
    "directory": other_directory,
    "user": other_user,
    "environment": longer_environment,
    "terminal": to("terminal"),
    "file": to("file"),
    "/dev/null": to("/dev/null"),
    "no symbols": no_symbols,
    "16 at once": lambda place: None,
    "unshare": in_namespaces,
    "clean system": clean_system,
}


# ---- replays ---------------------------------------------------------------------------------------------

def wait_at_terminal(command, place):
    """Status and output; standard error is a pipe."""
    master, slave = pty.openpty()
    p = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=place.env, cwd=place.cwd, text=True)
    os.close(slave)
    with concurrent.futures.ThreadPoolExecutor(1) as reader:
        err = reader.submit(p.stderr.read)
        try:
            while os.read(master, 65536):
                pass
        except OSError:
            pass  # the last one has closed it
        os.close(master)
        return p.wait(), err.result()


def wait(command, place):
    if place.out == "terminal":
        return wait_at_terminal(command, place)
    with tempfile.TemporaryFile() as file:
        out = {"pipe": subprocess.PIPE, "file": file, "/dev/null": subprocess.DEVNULL}[place.out]
        p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=place.env, cwd=place.cwd, timeout=LIMIT_S)
    return p.returncode, p.stderr.decode(errors="replace")


def replay(schedule, place, name, condition):
    """None, or why it is not the same."""
    with open(schedule, encoding="utf-8", errors="replace") as f:
        head = f.read()
    wanted, program = int(re.search(r"(?m)^status: (\d+)", head).group(1)), re.search(r"(?m)^arg: (.*)", head).group(1)
    if condition == "clean system":
        schedule = "/table/schedules/" + schedule.split("/schedules/static/", 1)[1]
    command = [*place.prefix, place.gatectl, "replay", schedule, *([place.program(program)] if place.program else [])]
    status, err = wait(command, place)
    steps = re.search(r"(?m)^replayed: .*\((\d+) of (\d+) steps agree\)", err)
    if status == wanted and steps and steps.group(1) == steps.group(2):
        return None
    return f"{name}, {condition}: {schedule}: status {status}, recorded was {wanted}\n{err[:1500]}"


def replay_all(schedules, condition, folder, name):
    place = Place(folder)
    CONDITIONS[condition](place)
    with concurrent.futures.ThreadPoolExecutor(16 if condition == "16 at once" else options.jobs) as pool:
        return [why for why in pool.map(lambda s: replay(s, place, name, condition), schedules) if why]


# ---- the table -------------------------------------------------------------------------------------------

def record_all(name, folder, static, count):
    program = build(name, folder, static)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda seed: record(program, seed, folder), range(1, count + 1)))


def row(name, folder, conditions):
    """The numbers of a line of the table, and what went wrong."""
    cells, faults = [], []
    own = record_all(name, folder, False, options.schedules)
    for condition in conditions:
        schedules = own
        if condition == "clean system":
            if name == "loads":  # opens libraries: a static program of it is none
                cells.append("-")
                continue
            schedules = record_all(name, folder, True, options.schedules)
        wrong = replay_all(schedules, condition, folder, name)
        cells.append(f"{len(schedules) - len(wrong)} of {len(schedules)}")
        faults += wrong
    return cells, faults


def possible(folder):
    """The conditions that can be made here; and why others cannot."""
    able, lacking = [], []
    for condition in options.conditions:
        place = Place(folder)
        try:
            if condition != "clean system":
                CONDITIONS[condition](place)
            subprocess.run([*([] if condition == "clean system" else place.prefix), "true"], check=True, capture_output=True)
            able.append(condition)
        except (OSError, subprocess.CalledProcessError) as e:
            lacking.append(f"{condition}: {getattr(e, 'stderr', None) or e}")
    return able, lacking


def main():
    names = options.names or sorted(f.rsplit(".", 1)[0] for f in os.listdir(SOURCES))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="gatectl-replay-") as folder:
        os.chmod(folder, 0o755)
        conditions, lacking = possible(folder)
        print("program", *conditions, sep="\t", flush=True)
        for name in names:
            cells, faults = row(name, folder, conditions)
            wrong += len(faults)
            print(name, *cells, sep="\t", flush=True)
            for why in faults[:3]:
                print(why, file=sys.stderr)
    for text in lacking:
        print("not tried:", text)
    return 1 if wrong or lacking else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--schedules", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--root")
    parser.add_argument("--conditions", type=lambda text: text.split(","), default=list(CONDITIONS))
    options = parser.parse_args()
    sys.exit(main())
