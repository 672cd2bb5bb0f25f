"""What an arrival costs that is decided inside the program, and a gate that has nothing to decide any more."""
import os
import statistics
import subprocess

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned x, state = 1;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	long n = atol(argv[1]), work = argc > 2 ? atol(argv[2]) : 0;
	double start = now();

	for (long i = 0; i < n; i++) {
		x = 0x12345; /* gate: line */
		for (long k = 0; k < work; k++)
			state = state * 1664525 + 1013904223;
	}
	printf("%.9f\n", now() - start);
	return 0;
}
"""
LINE = 'at("//line", {hit = %d})'
ARRIVALS = 10_000_000
DECIDED = 200_000
WORK = 500


def seconds(command):
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout)


def pairs(command, bare, runs=7):
    """With and without, one after the other, so that both see the same machine."""
    return zip(*[(seconds(command), seconds(bare)) for _ in range(runs)])


def said(samples, unit):
    samples = list(samples)
    return f"{statistics.median(samples):.4g}{unit} [{min(samples):.4g} - {max(samples):.4g}]"


def gate(gatectl, out, text, program, *args, options=()):
    path = os.path.join(out, "resident.lua")
    with open(path, "w") as f:
        f.write(text)
    return [gatectl, "run", *options, "-g", path, program, *args]


def bench_resident(gatectl, out):
    source, program = os.path.join(out, "resident.c"), os.path.join(out, "resident")
    with open(source, "w") as f:
        f.write(PROGRAM)
    subprocess.run(["gcc", "-g", "-O1", "-o", program, source], check=True)

    bare = [program, str(ARRIVALS)]
    extras = []
    for what, place in ((f"hit = {ARRIVALS - 1}", LINE % (ARRIVALS - 1)), ("for another thread", 'at("//line", {thread = "none#1", optional = true})')):
        inside, alone = pairs(gate(gatectl, out, place + ":run(function() end)\n", program, str(ARRIVALS)), bare)
        extra = statistics.median(ns := [(a - b) / ARRIVALS * 1e9 for a, b in zip(inside, alone)])
        extras.append(extra)
        print(f"{ARRIVALS:,} arrivals, {what}: {said(ns, ' ns')} an arrival over bare (less than 100: {'ok' if extra < 100 else 'MISSED'})")
    condition = 'at("//line", {when = "i == %d"}):run(function(hit) print(hit.count) end)\n' % (ARRIVALS - 1)
    inside, alone = pairs(gate(gatectl, out, condition, program, str(ARRIVALS)), bare)
    extras.append(statistics.median(ns := [(a - b) / ARRIVALS * 1e9 for a, b in zip(inside, alone)]))
    print(f"{ARRIVALS:,} arrivals, a condition that is true at the last one: {said(ns, ' ns')} an arrival over bare"
          f" (less than 100: {'ok' if extras[-1] < 100 else 'MISSED'})")
    few = ARRIVALS // 200
    script = LINE % (few - 1) + ":run(function() end)\n"
    traps, alone = pairs(gate(gatectl, out, script, program, str(few), options=["--no-resident"]), [program, str(few)])
    print(f"    with --no-resident: {said([(a - b) / few * 1e9 for a, b in zip(traps, alone)], ' ns')}")

    for what, text in (("a wait at an open gate", 'local g = SimpleGate "g" g:open()\nat "//line":wait(g)\n'),
                       ("an open of an open gate", 'local g = SimpleGate "g"\nat "//line":open(g)\n'),
                       ("a hit that is over", LINE % 1 + ":run(function() end)\n")):
        with_gate, alone = pairs(gate(gatectl, out, text, program, str(DECIDED), str(WORK)), [program, str(DECIDED), str(WORK)])
        ratio = [a / b for a, b in zip(with_gate, alone)]
        print(f"{what}, in a loop that does some work: {said(ratio, 'x')} bare (at most 1.02: "
              f"{'ok' if statistics.median(ratio) <= 1.02 else 'MISSED'})")
    return extras
