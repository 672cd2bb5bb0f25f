#!/usr/bin/env python3
"""How long after a store is the thread let go whose shut condition reads what was stored?

usage: store_to_release.py [RUNS]

Median and worst time over RUNS (1000) runs: watched by debug registers (one word), and looked at at
intervals (six words); on a quiet machine, and with both processors kept busy.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GATECTL = os.path.join(ROOT, "build", "gatectl")
SCRIPTS = {
    "watched, 1 word": 'at "//take":when(function(h) return h.var.q.count > 2 end)\n',
    "looked at, 6 words": """at "//take":when(function(h)
	local q = h.var.q
	return q.a.x + q.b.x + q.c.x + q.d.x + q.e.x + q.f.x == 6
end)
""",
}


def one_run(script, program):
    """Microseconds, or None where the thread was not released or something was said."""
    p = subprocess.run([GATECTL, "run", "-g", script, program, "thread"], capture_output=True, text=True)
    m = re.match(r"([\d.]+) us, saw 30\nend\n$", p.stdout)
    return float(m.group(1)) if p.returncode == 0 and m and not p.stderr else None


def measure(name, script, program, runs, busy):
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 if busy else 0)]
    try:
        times = [one_run(script, program) for _ in range(runs)]
    finally:
        for p in load:
            p.kill()
            p.wait()
    good = sorted(t for t in times if t is not None)
    if len(good) < 2:
        print(f"{name}: released in {len(good)} of {runs} runs")
        return False
    late = sum(t > 5000 for t in good)
    print(f"{name}, {'both processors busy' if busy else 'quiet'}: released in {len(good)} of {runs} runs,"
          f" median {statistics.median(good):.0f} us, 99 of 100 within {good[len(good) * 99 // 100]:.0f} us,"
          f" worst {good[-1]:.0f} us, {late} later than 5 ms", flush=True)
    return len(good) == runs


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    fine = True
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "store")
        subprocess.run(["gcc", "-g", "-O2", "-D_GNU_SOURCE", "-pthread", "-o", program,
                        os.path.join(HERE, "store.c")], check=True)
        for busy in (False, True):
            for i, (name, text) in enumerate(SCRIPTS.items()):
                script = os.path.join(directory, "gates%d.lua" % i)
                with open(script, "w") as f:
                    f.write(text)
                fine &= measure(name, script, program, runs, busy)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
