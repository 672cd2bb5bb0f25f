"""explore: an instruction without a lock prefix that loads and stores is two steps, between which other threads run."""
from harness import compile_text, params
from test_explore import explore

LOST = """#include <pthread.h>
int x;
static void *worker(void *a)
{
	x++;
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return x != 2;
}
"""

# Two instructions on overlapping memory, of eight bytes and of one.
PARTS = """#include <pthread.h>
static unsigned long word;
static void *all(void *a)
{
	__asm__ volatile("addq $0x101, %0" : "+m"(word));
	return a;
}
static void *first(void *a)
{
	__asm__ volatile("incb %0" : "+m"(*(char *)&word));
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, all, 0);
	pthread_create(&t[1], 0, first, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return argc > 1 && word == 0x100 + (unsigned long)(argv[1][0] - '0');
}
"""

# A signal comes before or after an instruction: its handler never sees what memory held when the instruction had loaded.
SIGNAL = """#include <pthread.h>
#include <signal.h>
int x, done, seen = -1;
static void handler(int s) { (void)s; seen = x; }
static void *worker(void *a)
{
	__asm__ volatile("incl %0" : "+m"(x));
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t;
	struct sigaction sa = {.sa_handler = handler};
	sigaction(SIGUSR1, &sa, 0);
	pthread_create(&t, 0, worker, 0);
	x = 50;
	pthread_kill(t, SIGUSR1);
	pthread_join(t, 0);
	return argc > 1 && seen == (argv[1][0] - '0') * 10 + argv[1][1] - '0';
}
"""


def searched(t, text, *args):
    program = compile_text("updates.c", text, "-g -pthread -O2")
    return explore(t, "--strategy", "dpor", "--points", "memory", "--verify", "0", "--", program, *args)


@params(*[(cc, level) for cc in ("gcc", "clang") for level in ("-O0", "-O1", "-O2")])
def test_lost(t, build):
    """The update of one thread is lost, the same way in each search, and in a replay."""
    cc, level = build
    program = compile_text("lost.c", LOST, f"-g -pthread {level}", cc)
    schedules = []
    for _ in range(2):
        r = explore(t, "--verify", "0", "--", program)
        t.equal(r.status, 116, "found", r)
        with open(r.found + "/1/schedule", encoding="utf-8") as f:
            schedules.append((r.report["digest"], f.read()))
    t.equal(schedules[0], schedules[1], "the same twice")
    r = t.gate("replay", r.found + "/1/schedule")
    t.check(r.status == 1 and " steps agree)" in r.err, "replayed", r)


def test_why_no_script(t):
    program = compile_text("lost.c", LOST, "-g -pthread -O2")
    r = explore(t, "--verify", "1", "--", program)
    t.check("no script of gates: worker#" in r.err and "reads `x` (lost.c:5) and writes it in one instruction" in r.err,
            "the reason", r)


PUT = """#include <pthread.h>
static int count = 2, freed;
static void put(void)
{
	count--;
	if (!count)
		freed++;
}
static void *copy(void *a)
{
	count++;
	put();
	put();
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, copy, 0);
	put();
	pthread_join(t, 0);
	return freed != 1;
}
"""


@params("gcc", "clang")
def test_read_found_late(t, cc):
    """The failure comes before the read of main's count-- is a point: that copy() begins after it must be forced, too."""
    program = compile_text("put.c", PUT, "-g -pthread -O0", cc)
    r = explore(t, "--verify", "20", "--", program)
    with open(r.found + "/1/gates.lua", encoding="utf-8") as f:
        script = f.read()
    t.check("searched schedule" in script, "gates that hold by chance: " + script, r)


@params("gcc", "clang")
def test_script(t, cc):
    """Two instructions of one line: the place between them has a name that survives a build."""
    program = compile_text("lost.c", LOST, "-g -pthread -O0", cc)
    r = explore(t, "--verify", "10", "--", program)
    with open(r.found + "/1/gates.lua", encoding="utf-8") as f:
        script = f.read()
    t.check('at("worker;x++:write", { thread = "worker#' in script and "*0x" not in script, "the script: " + script, r)
    other = compile_text("lost.c", LOST.replace("int x;", "int x; int more(int a); int more(int a) { return a + x; }"), "-g -pthread -O0", cc)
    t.equal(t.gate("run", "-g", r.found + "/1/gates.lua", other).status, 0, "in another build")


def test_locked(t):
    """With a lock prefix it is one step, and nothing is lost."""
    r = searched(t, LOST.replace("x++", "__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED)"))
    t.equal((r.status, r.report["complete"]), (0, True), "nothing failed", r)


@params(("1", 116), ("2", 116), ("0", 0))
def test_parts(t, case):
    """A store writes the bytes of its operand and no others."""
    value, status = case
    t.equal(searched(t, PARTS, value).status, status, "0x10" + value)


@params(("01", 116), ("50", 116), ("51", 116), ("00", 0))
def test_signal(t, case):
    value, status = case
    t.equal(searched(t, SIGNAL, value).status, status, "the handler sees " + value)
