#!/usr/bin/env python3
"""Which system calls one hit costs gatectl: `strace -c` counts those of a run with few hits and of one with many, the rest is what
the hits took. Counts only: under strace their times are strace's. hit_calls.py GATECTL DIRECTORY"""
import os
import subprocess
import sys

import growth


def counted(command, out):
    subprocess.run(["strace", "-c", "-U", "name,calls", "-o", out, *command], check=True)
    rows = [line.split() for line in open(out)]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}


def main(gatectl, directory):
    os.makedirs(directory, exist_ok=True)
    program = growth.compiled(directory, "hits", growth.HITS)
    script = growth.write(directory, "hits.lua", 'at("//line"):run(function() end)\n')
    few, many = (counted([gatectl, "run", "-g", script, program, str(n)], os.path.join(directory, "calls")) for n in (1000, 21000))
    for name, calls in sorted(many.items(), key=lambda item: -item[1]):
        each = (calls - few.get(name, 0)) / 20000
        if each >= 0.001:
            print(f"{name}: {each:.3f} a hit")


if __name__ == "__main__":
    main(*sys.argv[1:])
