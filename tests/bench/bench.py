#!/usr/bin/env python3
"""make bench: what gatectl costs, as ratios measured in one run: against the bare ptrace floor, against
gdb (where it is installed), against the program alone. Medians, with the spread in brackets."""
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import explore
import growth
import resident
import scale

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GATECTL = os.path.join(ROOT, "build", "gatectl")
OUT = os.path.join(ROOT, "build", "bench")
GDB = shutil.which("gdb")


def sh(*args, **kw):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw).stdout


def build(name, source, *flags):
    out = os.path.join(OUT, name)
    sh("gcc", "-g", *flags, "-o", out, os.path.join(HERE, source), "-lpthread")
    return out


def script(name, text):
    path = os.path.join(OUT, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def median(samples):
    return statistics.median(samples)


def spread(samples, unit=""):
    return f"{median(samples):.3g}{unit} [{min(samples):.3g} - {max(samples):.3g}]"


def us(samples):
    return f"{median(samples):.3g} us" if samples else ""


TABLE = []


def row(what, *cells):
    """Of the table in tracer/ARCHITECTURE.md: gatectl, bare ptrace, gdb's condition or the nearest that it has, gdb's Python."""
    TABLE.append((what, *cells, *[""] * (4 - len(cells))))


def write_table():
    lines = ["| | gatectl | bare ptrace | gdb | gdb, Python |", "|---|---|---|---|---|", *("| " + " | ".join(cells) + " |" for cells in TABLE)]
    with open(os.path.join(OUT, "table.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    print(os.path.relpath(f.name, ROOT))


def verdict(ok):
    return "ok" if ok else "MISSED"


def per_hit(command, n, runs=7):
    """us per execution of the line, as the program measures it itself."""
    return [float(sh(*command).strip().split("\n")[-1]) / n * 1e6 for _ in range(runs)]


def in_turn(*measures, runs=7):
    """Each measure as often as the others and right behind them, so that all see the same machine."""
    return zip(*[[m() for m in measures] for _ in range(runs)])


GDB_STOP = """import gdb
class At(gdb.Breakpoint):
    def stop(self):
        return int(gdb.parse_and_eval("sum")) == -1
At("hit.c:%d")
"""


def bench_hit():
    hit, floor_hit = build("hit", "hit.c", "-O1"), build("hit-floor", "hit.c", "-O1", "-DFLOOR")
    floor = build("floor", "floor.c", "-O2")
    false = script("false.lua", 'at("//line"):when(function(hit) return hit.count > 0 end)\n')
    line = next(i for i, l in enumerate(open(os.path.join(HERE, "hit.c")), 1) if "gate: line" in l)
    stop = script("stop.py", GDB_STOP % line)
    for threads in (1, 4):
        n = 40000 // threads
        base, ours = in_turn(lambda: per_hit([floor, "hit", floor_hit, str(n), str(threads)], n * threads, 1)[0],
                             lambda: per_hit([GATECTL, "run", "-g", false, hit, str(n), str(threads)], n * threads, 1)[0], runs=15)
        ratio = median([a / b for a, b in zip(ours, base)])
        print(f"hit with a Lua condition, {threads} thread(s): floor {spread(base, ' us')}, gatectl {spread(ours, ' us')}:"
              f" {ratio:.2f}x the floor (at most 1.5x: {verdict(ratio <= 1.5)})")
        cells = [us(ours), us(base)]
        for what, commands in (("gdb's condition", ["-ex", f"break hit.c:{line} if sum == -1"]), ("gdb's stop() in Python", ["-x", stop])):
            theirs = gdb_hits(hit, commands, 2000 // threads, threads) if GDB else []
            if theirs:
                print(f"    {what}: {spread(theirs, ' us')}: gatectl is {median(theirs) / median(ours):.1f}x faster")
            cells.append(us(theirs))
        row(f"a hit that Lua decides, {threads} thread{'s' * (threads > 1)}", *cells)


def gdb_hits(hit, commands, gdb_n, threads):
    samples = []
    for _ in range(3):
        out = sh(GDB, "-nx", "-batch", *commands, "-ex", "run", "--args", hit, str(gdb_n), str(threads))
        seconds = re.findall(r"\d+\.\d{9}", out)  # gdb's own messages may share the line
        if seconds:
            samples.append(float(seconds[-1]) / (gdb_n * threads) * 1e6)
    return samples


def bench_open():
    """Lines that are reached once, with a gate of the house's own; and one line again and again, with one that Lua decides."""
    floor = build("floor", "floor.c", "-O2")
    once = script("open-once.lua", "".join(f'local g{i} = SimpleGate "g{i}"\nat("//held{i}"):wait(g{i})\nat("//opens{i}"):open(g{i})\n' for i in range(1, 9)))
    lua = script("open.lua", """local Turn = Gate.type "Turn"
function Turn:init() self.opens = 0 end
function Turn:opened() self.opens = self.opens + 1 end
function Turn:ready(hit) return self.opens >= hit.count end
local turn = Turn "turn"
at("//held"):wait(turn)
at("//opens"):open(turn)
""")
    open_time("a gate opens until the held thread runs", floor, "open_once", once, [], 60)
    open_time("the same, decided by Lua", floor, "open", lua, ["200"], 7)


def open_time(title, floor, name, gates, args, runs):
    prog, floor_prog = build(name, name + ".c", "-O1"), build(name + "-floor", name + ".c", "-O1", "-DFLOOR")
    times = lambda *command: [float(x) for x in sh(*command).split()]
    base, ours = (sum(samples, []) for samples in in_turn(lambda: times(floor, "open", floor_prog, *args),
                                                           lambda: times(GATECTL, "run", "-g", gates, prog, *args), runs=runs))
    ratio = median(ours) / median(base)
    quart = lambda s: f"{median(s):.3g} us [quartiles {statistics.quantiles(s)[0]:.3g} - {statistics.quantiles(s)[2]:.3g}]"
    print(f"{title}: floor {quart(base)}, gatectl {quart(ours)}: {ratio:.2f}x (at most 1.5x: {verdict(ratio <= 1.5)})")
    row(title, us(ours), us(base))


def wall(command, runs=41):
    samples = []
    for _ in range(runs):
        start = time.perf_counter()
        sh(*command)
        samples.append((time.perf_counter() - start) * 1e3)
    return samples


def start_each(steps):
    samples = [[] for _ in steps]
    for _ in range(41):  # in turn, so that all see the same machine
        for (_, command), s in zip(steps, samples):
            s += wall(command, 1)
    for (name, _), s in zip(steps, samples):
        print(f"    {name}: {spread(s, ' ms')}")
    return samples


def bench_second_start():
    directory = os.path.join(OUT, "growth")
    prog = growth.big_program(directory, 2000)
    two = script("large.lua", 'local g = SimpleGate "g"\nat("main"):open(g)\nat("unit0_func0:+3"):wait(g)\nat("unit50.c:1000", { optional = true }):wait(g)\n')
    gated = [GATECTL, "run", "-g", two, prog]
    growth.fresh_cache(directory)
    sh(*gated)
    print(f"start to exit of a program with {growth.debug_size(prog) >> 20} MiB of debug information, three gates by FUNC, FUNC:+N and FILE:LINE:")
    samples = start_each([("bare", [prog]), ("second start", gated), ("without the cache", [*gated[:2], "--no-cache", *gated[2:]])])
    over = median(samples[1]) - median(samples[0])
    print(f"    second start over bare: {over:.2f} ms (at most 10 ms: {verdict(over <= 10)})")


def bench_start():
    prog = build("trivial", "hit.c", "-O0")
    empty, two = script("empty.lua", "\n"), script("two.lua", 'local g = SimpleGate "g"\nat("main"):open(g)\nat("//line"):wait(g)\n')
    steps = [
        ("bare", [prog, "1", "1"]),
        ("bare ptrace", [build("floor", "floor.c", "-O2"), "hit", prog, "1", "1"]),
        ("gatectl --version, which loads gatectl alone", [GATECTL, "--version"]),
        ("no gates: the program under ptrace", [GATECTL, "run", "-g", empty, prog, "1", "1"]),
        ("two gates: its symbols, lines and traps", [GATECTL, "run", "-g", two, prog, "1", "1"]),
    ]
    print("start to exit of a trivial program:")
    samples = start_each(steps)
    ours, over = median(samples[-1]), median(samples[-1]) - median(samples[0])
    print(f"    two gates over bare: {over:.2f} ms (at most 3 ms on a quiet machine: {verdict(over <= 3)})")
    if GDB:
        theirs = wall([GDB, "-nx", "-batch", "-ex", "break main", "-ex", "run", "-ex", "continue", "--args", prog, "1", "1"], 5)
        print(f"    gdb -batch {spread(theirs, ' ms')}: {median(theirs) / ours:.1f}x of gatectl")
    bare = median(samples[0])
    row("two gates in a program that ends at once, over bare", f"{ours - bare:.3g} ms", f"{median(samples[1]) - bare:.3g} ms",
        f"{median(theirs) - bare:.3g} ms" if GDB else "")


def bench_retired():
    prog = build("retired", "hit.c", "-O1")
    gate = script("retired.lua", 'local g = SimpleGate "g"\nat("main"):open(g)\nat("//line"):wait(g)\n')
    n = 10000000
    bare, ours = [], []
    for _ in range(15):
        bare += per_hit([prog, str(n), "1"], n, 1)
        ours += per_hit([GATECTL, "run", "-g", gate, prog, str(n), "1"], n, 1)
    ratio = median(ours) / median(bare)
    row("a line whose gate is open for good, of bare", f"{ratio:.3f}x")
    print(f"line whose gate is open for good, 10,000,000 executions: bare {spread([x * 1000 for x in bare], ' ns')}, gatectl"
          f" {spread([x * 1000 for x in ours], ' ns')}: {ratio:.3f}x (at most 1.05x: {verdict(ratio <= 1.05)})")


def big_program():
    directory, out = os.path.join(OUT, "big"), os.path.join(OUT, "big-program")
    if not os.path.exists(out):
        os.makedirs(directory, exist_ok=True)
        sh(sys.executable, os.path.join(HERE, "generate.py"), directory)
        sh("gcc", "-g", "-O0", "-o", out, *sorted(glob.glob(os.path.join(directory, "*.c"))))
    return out


def bench_resolve():
    big = big_program()
    rows = sh("sh", "-c", f"readelf --debug-dump=decodedline {big} 2>/dev/null | grep -c '^unit.*[.]c .*0x'").strip()
    dies = sh("sh", "-c", f"readelf --debug-dump=info {big} 2>/dev/null | grep -c 'Abbrev Number: [1-9]'").strip()
    entry = sh("sh", "-c", f"nm {big} | awk '$3 == \"main\" {{ print $1 }}'").strip()
    base = wall([GATECTL, "lines", big, f"*0x{entry}"], 31)
    line = wall([GATECTL, "lines", big, "unit20.c:1000"], 31)
    func = wall([GATECTL, "lines", big, "unit20_func30"], 31)
    cost = median(line) - median(base)
    print(f"FILE:LINE in a program of {rows} line rows and {dies} DIEs: {spread(line, ' ms')} for the whole command,"
          f" {spread(base, ' ms')} for an address: {cost:.2f} ms (at most 10 ms: {verdict(cost < 10)})")
    print(f"    FUNC: {median(func) - median(base):.2f} ms")


def bench_scale():
    scale.bench_scale(GATECTL, OUT)


def bench_growth():
    growth.bench_growth(GATECTL, OUT)


def bench_resident():
    counted, passed, compared = resident.bench_resident(GATECTL, OUT)
    row("an arrival without consequence, decided inside the program", f"{counted:.2g} ns")
    row("an arrival of others, where a place is for one thread", f"{passed:.2g} ns")
    row("an arrival for which `{ when = 'i == 4711' }` is false", f"{compared:.2g} ns")


def bench_explore():
    explore.bench_explore(GATECTL, OUT)


def main():
    os.makedirs(OUT, exist_ok=True)
    if not GDB:
        print("gdb is not installed: its figures are left out (apt-get install gdb)")
    for bench in (bench_hit, bench_open, bench_start, bench_second_start, bench_retired, bench_resident, bench_resolve, bench_scale, bench_growth, bench_explore):
        if len(sys.argv) < 2 or bench.__name__[6:] in sys.argv[1:]:
            bench()
    if TABLE:
        write_table()


if __name__ == "__main__":
    main()
