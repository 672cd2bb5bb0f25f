"""Programs and libraries whose names lead to other files from where gatectl runs."""

import os
import subprocess

from harness import Process, Skip, compile_text, params
from test_attach import Running

# Compiled twice: with PAD all of it is elsewhere.
HOT = r"""
#include <stdio.h>
#ifdef PAD
__asm__(".text; .skip 65536, 0x90");
#endif
__attribute__((noinline)) int hot(int b)
{
	b = b * 0x01234567 + 0x12345678;
	b = (b ^ 0x23456789) + 0x76543210; /* gate: hot */
	b = b * 0x01234567 + 0x12345678;
	return (b ^ 0x23456789) + 0x76543210;
}
"""

# Until a line comes it looks again and again whether it still computes the same.
LOOP = r"""
#include <poll.h>
#include <stdio.h>
__attribute__((noinline)) void tick(void)
{
	__asm__ volatile("");
}
static int loop(int (*volatile f)(int))
{
	struct pollfd in = {0, POLLIN, 0};
	int first = f(1);

	puts("ready");
	fflush(stdout);
	do {
		tick();
		if (f(1) != first)
			return puts("wrong"), 1;
	} while (!poll(&in, 1, 1));
	printf("%d\n", first);
	return 0;
}
"""

MAIN = HOT + LOOP + "int main(void) { return loop(hot); }\n"

LOADS = LOOP + r"""
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int (*hot)(int);
	void *h;

	if (argc > 2 && (chroot(argv[2]) || chdir("/")))
		return 1;
	h = dlopen(argv[1], RTLD_NOW);
	if (!h)
		return puts(dlerror());
	*(void **)&hot = dlsym(h, "hot");
	return loop(hot);
}
"""

IDS = (("-Wl,--build-id",), ("-Wl,--build-id=none",))


def build(t, name, text, *flags):
    os.makedirs(os.path.dirname(t.path(name)), exist_ok=True)
    source = t.path("hot.c")
    with open(source, "w") as f:
        f.write(text)
    subprocess.run(["gcc", "-g", "-O1", *flags, "-o", t.path(name), source], check=True)
    return t.path(name)


def library(t, name, *flags):
    return build(t, name, HOT, "-fPIC", "-shared", "-nostdlib", *flags)


def loader():
    return compile_text("loads.c", LOADS)


def in_namespace(t, ids):
    """The words that start prog, where another file of that name is mounted over it."""
    probe = subprocess.run(["unshare", "-m", "true"], capture_output=True)
    if probe.returncode:
        raise Skip("no mount namespace of one's own here")
    prog, real = build(t, "prog", MAIN, *ids, "-DPAD"), build(t, "real", MAIN, *ids)
    return ["unshare", "-m", "sh", "-c", "mount --bind %s %s && exec %s" % (real, prog, prog)]


def bare(t, command):
    r = t.run(command, stdin=b"\n")
    t.equal((r.status, r.err), (0, ""), "bare", r)
    return r.stdout


@params(*IDS)
def test_dlopen_after_chroot(t, ids):
    if os.geteuid():
        raise Skip("only root may chroot")
    lib = library(t, "lib/libhot.so", *ids, "-DPAD")
    root = t.path("root")
    library(t, "root" + lib, *ids)
    command = [loader(), lib, root]
    r = t.run_gated(command[0], args=command[1:], stdin=b"\n", script='at("libhot.so!//hot"):run(function() end)\n')
    t.clean(r)
    t.equal(r.stdout, bare(t, command), "what it computes", r)
    t.check(t.place(r, "libhot.so!//hot")["arrivals"] >= 2, "arrivals", r)


@params(*IDS)
def test_mount_namespace(t, ids):
    command = in_namespace(t, ids)
    r = t.run_gated(command[0], args=command[1:], stdin=b"\n",
                    script='at("prog!//hot", {optional = true}):run(function() end)\n')
    t.clean(r)
    t.equal(r.stdout, bare(t, command), "what it computes", r)
    t.check(t.place(r, "prog!//hot")["arrivals"] >= 2, "arrivals", r)


@params(*IDS)
def test_attach_into_namespace(t, ids):
    command = in_namespace(t, ids)
    wanted = bare(t, command).split()[-1]
    with Running(t, *command, stdin=subprocess.PIPE) as p:
        t.equal(p.line(), "ready", "it has begun")
        follow(t, p, 'at("//hot"):log("hot")\n', "hot", wanted)


def follow(t, p, script, line, wanted, *words):
    """gatectl is attached, and as soon as it has said this line, the program is given its own."""
    q = Process([*words, t.gatectl, "attach", "-g", t.file("a.lua", script), str(p.pid)], env=t.env, cwd=t.tmp,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    err = ""
    for text in q.stderr:
        err += text
        if text == line + "\n" and p.alive():
            break
    p.p.stdin.write(b"\n")
    p.p.stdin.flush()
    err += q.communicate(timeout=60)[1]
    t.equal((p.line(), p.p.wait()), (wanted, 0), "what it computes; gatectl says %s" % err)
    t.check(line + "\n" in err, "%r is not in: %s" % (line, err))
    return err


def replace(t, lib, ids):
    os.rename(library(t, "new/libhot.so", *ids, "-DPAD"), lib)


@params(*IDS)
def test_library_replaced(t, ids):
    """The process has the old one still, which no name leads to."""
    if os.geteuid():
        raise Skip("only root may open a mapped file that has no name")
    lib = library(t, "lib/libhot.so", *ids)
    program = loader()
    wanted = bare(t, [program, lib]).split()[-1]
    with Running(t, program, lib, stdin=subprocess.PIPE) as p:
        t.equal(p.line(), "ready", "it has begun")
        replace(t, lib, ids)
        follow(t, p, 'at("libhot.so!hot"):log("hot")\n', "hot", wanted)


@params(*IDS)
def test_cannot_be_opened(t, ids):
    """It is said, and nothing is trapped."""
    lib = library(t, "lib/libhot.so", *ids)
    program = loader()
    wanted = bare(t, [program, lib]).split()[-1]
    words = [] if os.geteuid() else ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
    with Running(t, *words, program, lib, stdin=subprocess.PIPE) as p:
        t.equal(p.line(), "ready", "it has begun")
        replace(t, lib, ids)
        err = follow(t, p, 'at("libhot.so!hot"):log("hot")\nat("tick"):log("tick")\n', "tick", wanted, *words)
    t.equal(err.count("gatectl: note: %s: the file that the program has mapped cannot be opened from here" % lib), 1, err)
    t.check("a.lua:1): the file that is loaded as %s cannot be opened by gatectl" % lib in err, err)
