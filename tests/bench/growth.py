#!/usr/bin/env python3
"""Growth: time and memory of gatectl with places, hits in a report, threads alive at once and debug information, each at a tenth,
a third and the whole of what is promised; one plot for each. Called by bench.py; `growth.py GATECTL DIRECTORY NAME...` does some."""
import os
import shutil
import subprocess
import sys

import generate
import plot

LIMIT_GIB = 8  # what one command may take before it counts as one that does not scale


def measured(command):
    """Seconds of the processor that a command and its children take, and MiB that gatectl takes at most; Python's own 15 or so count
    as well, since the kernel keeps the peak of before exec."""
    child = subprocess.Popen(["sh", "-c", f'ulimit -v {LIMIT_GIB << 20}; exec "$@"', "sh", *command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def compiled(directory, name, text):
    out = os.path.join(directory, name)
    subprocess.run(["gcc", "-g", "-O0", "-o", out, write(directory, name + ".c", text), "-lpthread"], check=True)
    return out


def places(gatectl, directory):
    for n in (1000, 3333, 10000):
        program = compiled(directory, f"places{n}", "static volatile int g;\n"
                           + "".join(f"void fn{i}(void)\n{{\n\tg += {i};\n}}\n" for i in range(n)) + "int main(void)\n{\n\treturn g;\n}\n")
        script = write(directory, "places.lua", "".join(f'at("fn{i}", {{optional = true}}):run(function() end)\n' for i in range(n)))
        yield n, {"run": [gatectl, "run", "-g", script, program]}


HITS = """#include <stdlib.h>
static volatile int sum;
int main(int argc, char **argv)
{
	for (int i = atoi(argv[argc - 1]); i; i--)
		sum += i; /* gate: line */
	return 0;
}
"""


def hits(gatectl, directory):
    program = compiled(directory, "hits", HITS)
    script = write(directory, "hits.lua", 'at("//line"):run(function() end)\n')
    for n in (100000, 333333, 1000000):
        run = lambda ending: [gatectl, "run", "-g", script, "--report", os.path.join(directory, "hits" + ending), program, str(n)]
        yield n, {"no report": [gatectl, "run", "-g", script, program, str(n)], ".json": run(".json"), ".html": run(".html")}


THREADS = """#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t all;
static volatile int sum;
static void *worker(void *unused)
{
	sum++; /* gate: before */
	pthread_barrier_wait(&all);
	sum++; /* gate: after */
	return unused;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[argc - 1]);
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], &small, worker, NULL))
			return 3;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
"""


def threads(gatectl, directory):
    """All of them stand at one gate, then at a barrier of their own."""
    program = compiled(directory, "threads", THREADS)
    for n in (500, 1667, 5000):
        script = write(directory, f"threads{n}.lua", f'limits {{ gate = 0 }}\nat("//before"):wait(BarrierGate("all", {n}))\nat("//after"):run(function() end)\n')
        yield n, {"run": [gatectl, "run", "-g", script, program, str(n)]}


PADDING = ["-Dunit0_func%d=pad%d" % (f, f) for f in range(generate.FUNCTIONS)]


def big_program(directory, units, copies=0):
    """One unit is compiled, and assembled under many names: that is ten times as fast as to compile each. Copies are
    of one unit whose functions nobody else sees: the linker takes them as often as it is told."""
    out = os.path.join(directory, f"debug{units + copies}")
    if os.path.exists(out):
        return out
    os.makedirs(directory, exist_ok=True)
    text = generate.unit(0).replace("volatile int sink;", "extern volatile int sink;", 1)
    subprocess.run(["gcc", "-g", "-O0", "-S", "-o", os.path.join(directory, "unit.s"), write(directory, "unit0.c", text)], check=True)
    assembler, objects = open(os.path.join(directory, "unit.s")).read(), []
    for u in range(units):
        objects.append(os.path.join(directory, f"unit{u}.o"))
        if not os.path.exists(objects[-1]):
            subprocess.run(["as", "-o", objects[-1], "-"], input=assembler.replace("unit0", f"unit{u}"), text=True, check=True)
    if copies:
        pad = write(directory, "pad.c", text.replace("\nint unit0", "\n__attribute__((used)) static int unit0"))
        objects += [os.path.join(directory, "pad.o")] * copies
        subprocess.run(["gcc", "-g", "-O0", *PADDING, "-c", "-o", objects[-1], pad], check=True)
    main = write(directory, "debug-main.c", "volatile int sink;\nint unit0_func0(int, int);\nint main(void)\n{\n\treturn unit0_func0(1, 2) == 12345;\n}\n")
    files = write(directory, f"objects{units + copies}", "\n".join(objects))
    subprocess.run(["gcc", "-g", "-O0", "-o", out, main, "@" + files], check=True)
    return out


def debug_size(program):
    """Bytes of its sections of debug information."""
    rows = subprocess.run(["size", "-A", program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith(".debug"))


def fresh_cache(directory):
    """Where later commands keep what they have read; nothing is there yet."""
    cache = os.path.join(os.path.abspath(directory), "cache")
    shutil.rmtree(cache, ignore_errors=True)
    os.environ["XDG_CACHE_HOME"] = cache


def debug(gatectl, directory):
    """Each question without the cache, by the start that fills it, and by the next."""
    for units, copies in ((200, 0), (2000, 0), (2000, 18000)):
        program = big_program(directory, units, copies)
        size = debug_size(program) >> 20
        yield size, {"nothing to find": [gatectl, "run", program]}
        for name, where in (("FILE:LINE", "unit50.c:1000"), ("FUNC", "unit50_func30"), ("FUNC:+N", "unit50_func31:+3")):
            fresh_cache(directory)
            yield size, {f"{name}, --no-cache": [gatectl, "lines", "--no-cache", program, where]}
            for start in ("first start", "second start"):
                yield size, {f"{name}, {start}": [gatectl, "lines", program, where]}


AXES = {places: "places", hits: "hits", threads: "threads alive at once", debug: "MiB of debug information"}


def grow(kind, gatectl, out):
    directory = os.path.join(out, "growth")
    os.makedirs(directory, exist_ok=True)
    curves = {}
    for n, commands in kind(gatectl, directory):
        for name, command in commands.items():
            seconds, memory = measured(command)
            print(f"{n} {AXES[kind]}, {name}: {seconds:.3f} s, {memory:.0f} MiB", flush=True)
            curves.setdefault(f"{name}, s", []).append((n, seconds))
            curves.setdefault(f"{name}, MiB", []).append((n, memory))
    plot.draw(os.path.join(out, f"growth-{kind.__name__}.svg"), f"growth with {AXES[kind]}", AXES[kind], curves)


def bench_growth(gatectl, out, *names):
    for kind in AXES:
        if not names or kind.__name__ in names:
            grow(kind, gatectl, out)


if __name__ == "__main__":
    bench_growth(*sys.argv[1:])
