#!/usr/bin/env python3
"""Every variable of the table (variables.py) as gatectl and as gdb read it, at the same addresses.

usage: vars_vs_gdb.py [GATECTL] [WORD...]

GATECTL is build/gatectl where it is left out; WORDs choose builds ("c++", "gcc", "-O2", ...). Each of
the two is held against what the program printed in the same run: equal, optimised out, wrong, or an
error. Where they do not agree, DIFFERENCES has the reason, or LIES of variables.py, where the compiler
is at fault. What has no reason fails, and so does a reason that is needed no more.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import harness
import variables

# Where (build as in LIES, gate, label: patterns that match whole), what we say, what gdb says, why.
NOT_IN_MEMORY = r"error: (Can't take address of .*|Attempt to take address of value not .*)"
DIFFERENCES = [
    (r"c\+\+ .*", ".*", ".*", "equal|optimised out", NOT_IN_MEMORY,
     "libstdc++'s methods for gdb ([], size, *, ->) want the object in memory; it is in registers or "
     "dropped"),
    (r"c\+\+ clang (14|19) .* -O0", ".*", ".*", "equal", r"error: There is no member named _M_p\.",
     "clang does not describe std::string where libstdc++ is said to have done so; we know its layout"),
    (r"c\+\+ .*", "pointers", "null", "equal",
     r"error: Attempt to dereference a generic pointer\.|wrong: not null",
     "gdb reads decltype(nullptr) as void"),
    (r"c\+\+ clang 14 .* -O[g2]", "strings", r"std::string\(view\).*", "optimised out",
     "error: Cannot create a lazy string with address .*", "gdb takes a dropped pointer for 0"),
    (r"c clang (19|2.) .* -O2|c\+\+ gcc 1[4-9] .* -O2", "structs|main", r"flexible->.*|diamond\.root_value", "optimised out",
     "error: Cannot access memory at address 0x0", "gdb takes a dropped pointer for 0"),
    (r"c\+\+ gcc 14 .* -O2", "main", r"diamond\.left", "equal",
     "error: Cannot access memory at address 0x10", "the same, of a virtual base"),
    (r"c(\+\+)? clang 19 .* -O[g2]", ".*", ".*", "equal", r"error: Value cannot be represented as integer of 8 bytes\.",
     "clang reads 16 bytes of a vector register that was spilled; gdb reads at most 8"),
    (r"c clang 14 .* -O[g2]", ".*", r"kept\.y|points\[2\]\.y|cube\[1\]\[1\]\[1\]", "optimised out", "wrong: 0",
     "gdb takes what is behind the last DW_OP_piece for zeros"),
    (r"c (gcc|clang (19|2.)) .* -O[g2]", "structs", r"(vla|matrix)\[.*", "optimised out", "error: no such vector element",
     "the same: gdb takes the dropped length for 0"),
    (r"c\+\+ gcc 16 .* -O[g2]", "strings", ".*", "equal|optimised out",
     r"error: (No symbol \".*\" in current context|A syntax error in expression, near the end of `\*pointer')\.",
     "gdb takes an inlined destructor of no instructions for one byte long, and reads names in its scope"),
]

GDB = r"""
import gdb, json

TABLE = json.load(open(%(table)r))
gdb.execute("set confirm off")
gdb.execute("set pagination off")
gdb.execute("set print elements 0")
gdb.execute("set max-value-size unlimited")
gdb.execute("set debuginfod enabled off")
gdb.execute("set charset UTF-8")


def simple(v):
    t = v.type.strip_typedefs()
    while t.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        v = v.referenced_value()
        t = v.type.strip_typedefs()
    return v, t


def text(v, t):
    printer = gdb.default_visualizer(v)
    if t.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
        if t.code == gdb.TYPE_CODE_ARRAY:
            return v.string(length=t.sizeof).split("\0")[0]
        return v.string()
    s = printer.to_string()
    if isinstance(s, str) or s.length == 0:
        return s if isinstance(s, str) else ""
    return s.value().string(length=s.length)


def answer(kind, expression):
    v, t = simple(gdb.parse_and_eval(expression))
    if v.is_optimized_out:
        return "! optimized out"
    if kind == "U":
        return "= 0x%%x" %% (int(v) & 0xffffffffffffffff)
    if kind == "B":
        return "= " + ("true" if v else "false")
    if kind == "F":
        return "= %%.17g" %% float(v)
    if kind == "E":
        names = [f.name.split("::")[-1] for f in t.fields() if f.enumval == int(v)]
        return "= %%d %%s" %% (int(v), names[0] if names else "-")
    if kind in "ST":
        return '= "%%s"' %% text(v, t)
    if kind == "P":
        return "= 0x%%x" %% int(v.cast(gdb.lookup_type("unsigned long")))
    if kind == "N":
        return "= " + ("nil" if v.format_string(format="x") == "0x0" else "not null")
    if t.sizeof > 8:  # int() takes 8 bytes at most
        return "= " + v.format_string()
    return "= %%d" %% int(v)


def show(e):
    gate, kind, label, expression = e
    try:
        said = answer(kind, expression)
    except Exception as error:
        said = "! " + str(error).replace("\n", " ")
    out.write("%%s %%s\n" %% (label, said))


out = open(%(out)r, "w")
gdb.execute("starti %(arguments)s > %(stdout)s", to_string=True)
base = %(base)s
sites = {}
for gate, address in %(sites)r:
    b = gdb.Breakpoint("*%%d" %% (base + address))
    sites[b.number] = gate


def stopped(event):
    for b in getattr(event, "breakpoints", []):
        hits.append(sites[b.number])


hits = []
gdb.events.stop.connect(stopped)
while gdb.selected_inferior().pid:
    gdb.execute("continue", to_string=True)
    for gate in hits:
        out.write("@%%s\n" %% gate)
        for e in TABLE:
            if e[0] == gate:
                show(e)
    del hits[:]
out.close()
"""
BASE = "0x555555554000"  # where gdb, which turns randomisation off, finds a PIE


def sites(gatectl, program, gates):
    """[gate, address] of each place where a gate stands, as our own `lines` tells."""
    found = []
    for gate in gates:
        out = subprocess.run([gatectl, "lines", program, "//" + gate], check=True,
                             capture_output=True, text=True).stdout
        found += [(gate, int(a, 16)) for a in re.findall(r":\d+ 0x([0-9a-f]+)\b", out)]
    return found


def ask_gdb(gatectl, program, table, directory):
    """What the program printed under gdb and what gdb said."""
    names = {n: os.path.join(directory, n) for n in ("table", "out", "stdout", "script.py")}
    with open(names["table"], "w") as f:
        json.dump([(e.gate, e.kind, e.label, e.gdb) for e in table], f)
    gates = list(dict.fromkeys(e.gate for e in table))
    with open(names["script.py"], "w") as f:
        f.write(GDB % dict(names, arguments=" ".join(variables.ARGUMENTS), base=BASE,
                           sites=sites(gatectl, program, gates)))
    p = subprocess.run(["gdb", "-batch", "-nx", "-x", names["script.py"], program],
                       capture_output=True, text=True, timeout=300)
    if p.returncode != 0 or "Error" in p.stderr:
        sys.stderr.write(p.stderr[-2000:])
    with open(names["stdout"]) as out, open(names["out"]) as said:
        return variables.answers(out.read()), variables.answers(said.read())


def ask_us(gatectl, program, table, directory):
    script = os.path.join(directory, "gates.lua")
    with open(script, "w") as f:
        f.write(variables.script(table))
    p = subprocess.run([gatectl, "run", "-g", script, "--", program, *variables.ARGUMENTS],
                       capture_output=True, text=True, timeout=300)
    if p.returncode != 0:
        sys.stderr.write(p.stderr[-2000:])
    return variables.answers(p.stdout), variables.answers(p.stderr)


def verdict(truth, said):
    """equal, optimised out, wrong, or what the error says"""
    if said[2] == "=":
        return "equal" if said[3] == truth[3] else "wrong: " + said[3]
    if variables.GONE in said[3] or "optimized out" in said[3]:
        return "optimised out"
    return "error: " + re.sub(r"^\S*gates\.lua:\d+: ", "", said[3])


def verdicts(pair, who):
    truth, said = pair
    if [a[:2] for a in truth] != [a[:2] for a in said]:
        print("FAIL %s was not asked what the program printed" % who)
        for t, s in zip(truth, said):
            if t[:2] != s[:2]:
                print("     program: %s, %s: %s" % (t, who, s))
                break
        return None
    return [(t[0], t[1], t[3], verdict(t, s)) for t, s in zip(truth, said)]


def reason(case, gate, label, us, gdb):
    for lie in variables.LIES:
        if variables.is_lie(case, gate, label, lie):
            return lie  # of a byte of an address: gdb's may be right by chance
    for d in DIFFERENCES:
        if all(re.fullmatch(p, s) for p, s in zip(d, (variables.named(case), gate, label, us, gdb))):
            return d
    return None


def compare(gatectl, case, used):
    """How many were compared, how many differ for no known reason."""
    program, text = variables.build(case)
    name, table, unknown = " ".join(case), variables.entries(text), 0
    with tempfile.TemporaryDirectory() as directory:
        ours = verdicts(ask_us(gatectl, program, table, directory), "gatectl")
        theirs = verdicts(ask_gdb(gatectl, program, table, directory), "gdb")
    if ours is None or theirs is None:
        return 0, 1
    counts = collections.Counter()
    for (gate, label, value, us), (_, _, _, gdb) in zip(ours, theirs):
        counts[us.split(":")[0], gdb.split(":")[0]] += 1
        if us == gdb and us in ("equal", "optimised out"):
            continue
        known = reason(case, gate, label, us, gdb)
        if known:
            used[known] += 1
        else:
            unknown += 1
            print("FAIL %s: %s: %s (%s): we: %s, gdb: %s" % (name, gate, label, value, us, gdb))
    print("%s: %d variables: %s" % (name, len(ours), ", ".join(
        "%d we %s, gdb %s" % (n, *k) for k, n in sorted(counts.items()))))
    sys.stdout.flush()
    return len(ours), unknown


def main():
    words = sys.argv[1:]
    gatectl = os.path.join(harness.ROOT, "build", "gatectl")
    if words and os.access(words[0], os.X_OK):
        gatectl = os.path.abspath(words.pop(0))
    chosen = [c for c in variables.BUILDS if all(w in c for w in words)]
    used, compared, failed = collections.Counter(), 0, 0
    for case in chosen:
        n, unknown = compare(gatectl, case, used)
        compared, failed = compared + n, failed + unknown
    for d in DIFFERENCES + variables.LIES:
        if used[d]:
            lie = "the debug information is wrong: " if d in variables.LIES else ""
            print("%5d x %s%s" % (used[d], lie, d[-1]))
        elif len(chosen) == len(variables.BUILDS) and any(re.fullmatch(d[0], variables.named(c)) for c in chosen):
            print("FAIL a reason that is needed no more: %s" % (d,))
            failed += 1
    print("%d builds, %d variables compared, %d differ for no known reason" % (
        len(chosen), compared, failed))
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
