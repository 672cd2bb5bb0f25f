"""What is kept of large debug information for later runs: everything is as without it, but for the time."""
import os
import random
import resource
import subprocess

from harness import compile_text, params

HEADER = """
#include <vector>
namespace app {
template <typename T> struct Queue {
	std::vector<T> items;
	void push(T item) { items.push_back(item); }
	bool operator<(const Queue &o) const { return items.size() < o.items.size(); }
};
static inline int shared(int n) { return n + 1; }
}
"""
PROGRAM = HEADER + """
volatile int sink;
static int helper(int n) { sink = n; return n; } // gate: helper
int plain(int n)
{
	auto twice = [n](int m) { return sink = n * m; };
	return twice(n) + helper(n);
}
int main(int argc, char **)
{
	app::Queue<int> q, p;
	q.push(argc);
	if (p < q)
		sink = app::shared(argc); /* gate: shared */
	return plain(argc) + sink - 3 * argc;
}
"""
LOCATIONS = ["main", "plain", "helper", "Queue::push", "app::Queue<int>::push", "operator<", "app::shared", "Queue<int>::operator<",
             "push%return", "main:+2", "plain;helper(n)", "//helper", "//shared", "missing", "missing.cc:3", "push_back", "pad7"]
PADDING = 'extern volatile int sink;\n' + "".join(
    f"__attribute__((used)) static int pad{f}(int a)\n{{\n" + "".join(f"\tint v{i} = a * {i};\n\tsink = v{i};\n" for i in range(35)) + "\treturn sink;\n}\n"
    for f in range(100))


def program(flags="-g -O1", text=PROGRAM):
    """With more than 8 MB of debug information: the linker takes one object as often as it is told."""
    pad = compile_text("pad.c", PADDING, "-g -O0 -c")
    return compile_text("large.cc", text, flags, libs=" ".join([pad] * 120))


def lines(t, prog, *locations, options=(), **kw):
    r = t.gate("lines", *options, prog, *locations, **kw)
    return r.status, r.out, r.err


def kept(t):
    """The files that are kept, and what stands in them."""
    folder = os.path.join(t.env["XDG_CACHE_HOME"], "gatectl")
    if not os.path.isdir(folder):
        return {}
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            found[os.path.join(folder, name)] = f.read()
    return found


@params("-g -O2", "-gdwarf-4 -O1 -Wl,--build-id=none")
def test_same_with_and_without(t, flags):
    prog = program(flags)
    asked = LOCATIONS + [f"large.cc:{n}" for n in range(1, PROGRAM.count("\n") + 2)]
    without = lines(t, prog, *asked, options=["--no-cache"])
    t.equal(kept(t), {}, "files with --no-cache")
    t.equal(lines(t, prog, *asked), without, "the first start")
    (path, written), = kept(t).items()
    t.equal(lines(t, prog, *asked), without, "the second start")
    for a in LOCATIONS:  # each alone: with the tables as they were kept
        t.equal(lines(t, prog, a), lines(t, prog, a, options=["--no-cache"]), a)
    t.equal(kept(t), {path: written}, "what is kept: it is written once")


def test_runs(t):
    prog = program("-g -O0")
    script = 'local g = SimpleGate "g"\nat("plain"):wait(g)\nat("//shared"):open(g)\nat("Queue::push"):run(function() end)\nexpect { exit = 0 }\n'
    seen = [t.run_gated(prog, script, options=o) for o in (["--no-cache"], [], [])]
    for r in seen:
        t.equal(r.status, 0, "status", r)
        t.equal([p["arrivals"] for p in r.report["places"]], [1, 1, 1], "arrivals", r)
    t.equal(len(kept(t)), 1, "files that are kept")


def test_damaged(t):
    """Any byte may be wrong: the answers are right, and at last the file is, too."""
    prog = program()
    right = lines(t, prog, "plain", "Queue::push", "large.cc:20", "missing")
    (path, good), = kept(t).items()
    choose = random.Random(1)
    for n in range(24):
        bad = bytearray(good)
        for _ in range(1 + n % 3):
            # every other time in the first bytes, where all depends on them
            bad[choose.randrange(400 if n % 2 else len(bad))] ^= 1 << choose.randrange(8)
        if n % 8 == 0:
            del bad[choose.randrange(len(bad)):]
        with open(path, "wb") as f:
            f.write(bad)
        t.equal(lines(t, prog, "plain", "Queue::push", "large.cc:20", "missing"), right, f"damage {n}")
    os.unlink(path)
    lines(t, prog, "plain")
    t.equal(kept(t), {path: good}, "what is kept in the end")


def test_several_at_once(t):
    prog = program()
    right = lines(t, prog, "plain", "large.cc:20", options=["--no-cache"])[1]
    for _ in range(5):
        subprocess.run(["rm", "-rf", t.env["XDG_CACHE_HOME"]], check=True)
        started = [subprocess.Popen([t.gatectl, "lines", prog, "plain", "large.cc:20"], env=t.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(4)]
        for p in started:
            t.equal(p.communicate(), (right, b""), "what one of them says")
        t.equal(len(kept(t)), 1, "files that are kept")


def test_another_program_of_the_same_name(t):
    path = t.path("prog")
    for text, line in ((PROGRAM, 20), ("\n\n" + PROGRAM, 22)):
        subprocess.run(["cp", program("-g -O1 -Wl,--build-id=0x1234", text), path], check=True)
        for _ in range(2):
            t.check(f"large.cc:{line} ".encode() in lines(t, path, f"large.cc:{line}")[1], f"line {line}")


def test_nowhere_to_write(t):
    """No word of it, and nothing is left behind."""
    prog = program()
    right = lines(t, prog, "plain", options=["--no-cache"])
    t.equal(right[::2], (0, ""), "status and what is said")
    for env in ({"XDG_CACHE_HOME": "/proc/self"}, {"XDG_CACHE_HOME": "relative"}, {"XDG_CACHE_HOME": "", "HOME": "/nowhere"}):
        t.equal(lines(t, prog, "plain", env=env, cwd=t.tmp), right, str(env))
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    t.equal(lines(t, prog, "plain", preexec=full), right, "no room")
    t.equal(kept(t), {}, "what is kept")


def test_small_ones_are_not_kept(t):
    t.equal(lines(t, compile_text("small.cc", PROGRAM), "plain")[0], 0, "status")
    t.equal(kept(t), {}, "what is kept")
