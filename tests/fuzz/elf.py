#!/usr/bin/env python3
"""Damaged executables: headers, section tables, debug sections; `lines`, `check` and `run` on them."""

import functools
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

import fuzz
from harness import compile_text

C = r"""
#include <pthread.h>
struct list { struct list *next; int value; } head;
static inline int twice(int x) { return x * 2; }
static int sum(struct list *l)
{
	int all = 0;
	for (; l; l = l->next)
		all += twice(l->value); /* gate: add */
	return all;
}
static void *worker(void *arg)
{
	return (void *)(long)sum(arg);
}
int main(int argc, char **argv)
{
	pthread_t t;
	head.value = argc;
	pthread_create(&t, 0, worker, &head);
	pthread_join(t, 0);
	return 0;
}
"""
CXX = r"""
#include <string>
#include <vector>
namespace app {
template <class T> struct Queue {
	std::vector<T> all;
	void push(T x) { all.push_back(x); /* gate: add */ }
};
}
static int sum(const std::string &s) { int n = 0; for (char c : s) n += c; return n; }
struct worker { static int main(app::Queue<int> &q) { q.push(sum("abc")); return q.all.size(); } };
int main() { app::Queue<int> q; return worker::main(q) != 1; }
"""
BASES = [("c.c", C, "-g -O0"), ("c.c", C, "-g -O2"), ("c.c", C, "-gdwarf-4 -O1 -no-pie"), ("c.c", C, "-g -O2 -static"), ("c.c", C, "-g -O1 -gz"),
         ("c.c", C, "-g3 -O2 -fdebug-types-section"), ("c.c", C, "-gdwarf-2 -O0"), ("cxx.cc", CXX, "-g -O1"), ("cxx.cc", CXX, "-gdwarf-4 -O2")]
# Those with a second file, or packed by zstd: source, flags, what is made of it. The first ones also in a short run.
FORMS = [("c.c", C, "-gdwarf-5 -O1 -gsplit-dwarf", "dwo"), ("cxx.cc", CXX, "-gdwarf-5 -O0", "alternate"),
         ("c.c", C, "-gdwarf-4 -O2 -gsplit-dwarf -fdebug-types-section", "package"),
         ("cxx.cc", CXX, "-gdwarf-5 -O0 -gsplit-dwarf -fdebug-types-section", "dwo"),
         ("cxx.cc", CXX, "-gdwarf-4 -O2 -gsplit-dwarf -fdebug-types-section", "package"), ("c.c", C, "-gdwarf-4 -O1", "alternate"),
         ("cxx.cc", CXX, "-gdwarf-5 -O1", "partial"), ("c.c", C, "-gdwarf-5 -O1", "zstd"), ("cxx.cc", CXX, "-gdwarf-5 -O2", "zstd")]
FORMS_QUICK = 2
FULL_FROM = 1000000  # the number of a case of a long run
MADE = threading.Lock()
LOCATIONS = ["sum", "sum:+3", "worker%return", "//add", "sum;all +=", "c.c:9", "app::Queue::push", "cxx.cc:7", "twice", "*0x1139", "head", "libc.so.6!malloc"]
SCRIPT = b"""
at("sum", {optional = true}):run(function(hit)
  for _, f in ipairs(hit:backtrace()) do print(f.func, f.file, f.line) end
  print(pcall(function() return hit.var.l.value end), pcall(function() return hit:eval "head.next" end))
  print(pcall(function() return hit.arg[0] end), pcall(function() return hit:call("twice", 3) end))
end)
at("worker%return", {optional = true}):log("{hit.ret}")
on("exit"):event "x"
"""
I386 = """
asm(".globl _start\\n_start: mov $1, %eax\\n xor %ebx, %ebx\\n int $0x80");
"""
NAMED = ["i386", "no-section-table", "empty", "only-a-header", "endless-sections"]


def base(number):
    name, text, flags = BASES[number]
    with open(compile_text(name, text, flags=flags), "rb") as f:
        return bytearray(f.read())


def finish(run, kind):
    """What makes the form of ./program: the names of the files that belong to it."""
    if kind == "zstd":
        run("objcopy", "--compress-debug-sections=zstd", "program")
    elif kind == "partial":
        run("dwz", "program")
    elif kind == "alternate":
        run("cp", "program", "other")
        run("dwz", "-m", "common.debug", "program", "other")
        return ["common.debug"]
    elif kind == "package":
        run("dwp", "-o", "program.dwp", "one.dwo")
        return ["program.dwp"]
    return ["one.dwo"] if kind == "dwo" else []


@functools.lru_cache(maxsize=None)
def made(number):
    """The program's bytes, and those of its further files by name. They are nowhere else, where gatectl would find
    them undamaged."""
    name, text, flags, kind = FORMS[number]
    directory = tempfile.mkdtemp(prefix="gatectl-fuzz-base-")

    def run(*command):
        subprocess.run(command, cwd=directory, check=True, capture_output=True)
    try:
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
        compiler = "g++" if name.endswith(".cc") else "gcc"
        run(compiler, *flags.split(), "-pthread", "-c", "-o", "one.o", name)
        run(compiler, "-pthread", "-o", "program", "one.o")
        names = ["program"] + finish(run, kind)
        files = {}
        for one in names:
            with open(os.path.join(directory, one), "rb") as f:
                files[one] = f.read()
        return files.pop("program"), files
    finally:
        shutil.rmtree(directory)


def pick(number, r):
    """A base: its program, its further files, and which of all is to be damaged (None: the program)."""
    forms = len(FORMS) if number >= FULL_FROM else FORMS_QUICK
    which = r.randrange(len(BASES) + forms)
    if which < len(BASES):
        return base(which), {}, None
    with MADE:
        program, files = made(which - len(BASES))
    victim = r.choice(sorted(files)) if files and r.randrange(4) else None
    return bytearray(program), dict(files), victim


def sections(data):
    """(index, name offset, type, offset, size) of what the section table says."""
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    found = []
    for i in range(count):
        at = table + i * size
        name, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, at)
        found.append((at, name, kind, offset, length))
    strings = found[names][3]
    return [(at, bytes(data[strings + name:data.index(0, strings + name)]).decode(), kind, offset, length)
            for at, name, kind, offset, length in found]


def odd(r, size):
    """A number that programs do not think of."""
    return r.choice((0, 1, 2, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, (1 << 64) - 1, r.getrandbits(64))) & ((1 << 8 * size) - 1)


def write(data, at, size, value):
    if 0 <= at <= len(data) - size:
        data[at:at + size] = value.to_bytes(size, "little")


def damage_bytes(data, r, offset, length):
    for _ in range(r.choice((1, 1, 2, 4, 16))):
        at = offset + r.randrange(max(1, length))
        size = r.choice((1, 1, 1, 2, 4, 8))
        if r.randrange(3):
            write(data, at, size, odd(r, size))
        elif at < len(data):
            data[at] ^= 1 << r.randrange(8)


def damage(data, r):
    """Never code or data of the program: what it would do then is nobody's business."""
    all_sections = sections(data)
    kind = r.choice(("debug", "debug", "debug", "debug", "header", "section", "segment", "symbols", "frames", "cut", "swap"))
    debug = [s for s in all_sections if s[1].startswith(".debug_")]
    if kind == "debug":
        s = r.choice(debug)
        damage_bytes(data, r, s[3], s[4])
    elif kind == "header":
        damage_bytes(data, r, 16, 48)
    elif kind == "section":
        s = r.choice(all_sections)
        at, size = s[0] + r.choice((0, 4, 8, 16, 24, 32, 40, 44, 48, 56)), 8
        write(data, at, 4 if at - s[0] in (0, 4, 40, 44) else size, odd(r, 4 if at - s[0] in (0, 4, 40, 44) else size))
    elif kind == "segment":
        damage_bytes(data, r, struct.unpack_from("<Q", data, 32)[0], 56 * 12)
    elif kind in ("symbols", "frames"):
        wanted = (".symtab", ".strtab", ".dynsym", ".gnu.hash", ".note.gnu.build-id") if kind == "symbols" else (".eh_frame", ".eh_frame_hdr", ".gcc_except_table")
        some = [s for s in all_sections if s[1] in wanted] or all_sections
        s = r.choice(some)
        damage_bytes(data, r, s[3], s[4])
    elif kind == "cut":
        del data[r.choice((r.randrange(len(data)), len(data) - r.randrange(1, 3000), r.randrange(64, 2000))):]
    else:
        a, b = r.choice(debug), r.choice(debug)
        data[a[0] + 24:a[0] + 40], data[b[0] + 24:b[0] + 40] = data[b[0] + 24:b[0] + 40], data[a[0] + 24:a[0] + 40]
    return data


def named(name):
    if name == "i386":
        with open(compile_text("i386.c", I386, flags="-m32 -static -nostdlib"), "rb") as f:
            return f.read()
    data = base(3)
    if name == "no-section-table":
        return data[:struct.unpack_from("<Q", data, 40)[0] + 200]
    if name == "empty":
        return b""
    if name == "only-a-header":
        return data[:64]
    struct.pack_into("<HHH", data, 58, 64, 0xffff, 0xfffe)
    return data


def make(number, r):
    if r is None:
        return fuzz.Case(number, ["run", "--time-limit", "20", "-g", "script.lua", "./program"], {"script.lua": b'on("exit"):event "x"\n'}, named(number))
    program, files, victim = pick(number, r)
    data = damage(bytearray(files[victim]) if victim else program, r)
    while data and r.randrange(3) == 0:
        try:
            data = damage(data, r)
        except (struct.error, IndexError, ValueError, OverflowError):
            break
    command = r.choice((["lines", "./program", *LOCATIONS], ["lines", "./program", *LOCATIONS], ["check", "-g", "script.lua", "./program"],
                        ["run", "--time-limit", "5", "--gate-limit", "2", "-g", "script.lua", "./program"]))
    if victim:
        files[victim], data = bytes(data), program
    return fuzz.Case(number, command, {"script.lua": SCRIPT, **files}, bytes(data))


if __name__ == "__main__":
    sys.exit(fuzz.main(__doc__, make, NAMED))
