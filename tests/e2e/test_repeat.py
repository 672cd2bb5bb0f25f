"""--repeat N: N runs, the first that differs ends it."""

import os
import re

from harness import compile_text, params

# Counts its runs in a file and answers by the number of the run.
COUNTER = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int n;
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
	if (write(fd, "x", 1) != 1)
		return 99;
	long runs = lseek(fd, 0, SEEK_END);
	n++; /* gate: here */
	if (runs == atol(argv[2]))
		n++; /* gate: seldom */
	return runs == atol(argv[2]) ? 1 : 0;
}
"""


def runs(path):
    with open(path) as f:
        return len(f.read())


@params(1, 2, 20)
def test_all_agree(t, n):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "0"),
                    script='at "//here":run(function() end)\nexpect {exit = 0}\n',
                    options=["--repeat", str(n)])
    t.equal(r.status, 0, "status", r)
    t.equal(runs(path), n, "runs made", r)
    t.equal((r.report["verdict"], r.report["runs"]), ("ok", n), "report", r)
    t.equal(t.place(r, "//here")["location"], "//here", "place", r)


def test_stops_at_the_first_that_differs(t):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "3"),
                    script='at "//here":run(function() end)\nexpect {exit = 0}\n',
                    options=["--repeat", "20"])
    t.verdict(r, 119)
    t.equal(runs(path), 3, "runs made", r)
    t.check(re.search(r"\b2 .*agree", r.err), "says how many agreed", r)


def test_never_reached_in_one(t):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "5"),
                    script='at "//seldom":run(function() end)\n', options=["--repeat=4"])
    t.verdict(r, 120)
    t.equal(runs(path), 1, "runs made", r)


def test_state_is_new_each_run(t):
    """Gates are closed again, Lua variables are new, counts begin at one."""
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "0"), script='''
local g, n = SimpleGate "g", 0
at "//here":run(function(hit)
  n = n + 1
  if n ~= 1 or hit.count ~= 1 or g.is_open then error "something is left of the last run" end
  g:open()
end)
expect {exit = 0}
''', options=["--repeat", "5"])
    t.equal(r.status, 0, "status", r)
    t.equal(runs(path), 5, "runs made", r)


def test_expected_signal(t):
    program = compile_text("dies.c", "#include <stdlib.h>\n#include <sys/resource.h>\nint main(void)\n{\n"
                           "\tstruct rlimit none = {0, 0};\n\tsetrlimit(RLIMIT_CORE, &none);\n\tabort();\n}\n")
    r = t.run_gated(program, script='expect {signal = "SIGABRT"}\n', options=["--repeat", "5"])
    t.equal((r.status, r.report["runs"]), (0, 5), "outcome", r)


def test_output_of_every_run(t):
    r = t.run_gated("/bin/echo", args=("again",), options=["--repeat", "3"])
    t.equal((r.status, r.stdout), (0, "again\n" * 3), "outcome", r)


# ---- the order of events -----------------------------------------------------------------------

# In its `odd` run (argv[2]) it does argv[3]: the threads the other way round, or only the first one,
# or the waiting thread comes late and is not held.
ORDERS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int n;
static volatile int late, meet, came;
static void *one(void *x)
{
	came = 1;
	while (late && n == 0)
		usleep(1000);
	n++; /* gate: one */
	return x;
}
static void *two(void *x)
{
	while (meet && !late && !came)
		usleep(1000);
	usleep(meet && !late ? 30000 : 0);
	n++; /* gate: two */
	return x;
}
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
	pthread_t a, b;
	if (write(fd, "x", 1) != 1)
		return 99;
	int odd = lseek(fd, 0, SEEK_END) == atol(argv[2]);
	late = odd && !strcmp(argv[3], "late");
	if ((meet = !strcmp(argv[3], "late"))) {
		pthread_create(&a, NULL, one, NULL);
		pthread_create(&b, NULL, two, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return 0;
	}
	int swap = odd && !strcmp(argv[3], "swap"), single = odd && !strcmp(argv[3], "single");
	for (int i = 0; i < 2 - single; i++) {
		pthread_create(&a, NULL, (i ^ swap) ? two : one, NULL);
		pthread_join(a, NULL);
	}
	return 0;
}
"""

PLACES = 'at("//one", {optional = true}):event "first"\nat("//two", {optional = true}):log "second"\n'


def order_line(r):
    found = [l for l in r.err.split("\n") if "order of events" in l]
    return found[0] if found else None


def repeat(t, how, script, n="5", odd="3", options=()):
    return t.run_gated(compile_text("orders.c", ORDERS), script, args=(t.path("runs"), odd, how),
                       options=["--repeat", n, *options])


INTERRUPTED = """
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (open(argv[argc - 1], O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		return 0;
	kill(getppid(), SIGTERM);
	pause();
	return 0;
}
"""


def test_interrupted(t):
    """A run that a signal to gatectl ends has not differed."""
    r = t.gate("run", "--repeat", "5", compile_text("interrupted.c", INTERRUPTED), t.path("made"))
    t.equal(r.status, 143, "status", r)
    t.equal(r.err, "gatectl: 1 of 1 runs agreed; the next one was interrupted\n", "what is said", r)


def test_order_differs(t):
    r = repeat(t, "swap", PLACES)
    t.equal(r.status, 0, "it is no failure", r)
    t.equal(order_line(r), "gatectl: order of events: run 3 differs from run 1 at event 1: two#1 logs "
            "second; in run 1 one#1 event first", "the line", r)
    t.order_of(r.err, "5 of 5 runs agreed", "order of events")


def test_order_in_which_places_are_passed(t):
    r = repeat(t, "swap", PLACES.replace(':event "first"', ":open(SimpleGate 'g')")
               .replace(':log "second"', ":when(function() return true end)"))
    t.equal(order_line(r), "gatectl: order of events: run 3 differs from run 1 at event 1: two#1 passes "
            "//two; in run 1 one#1 opens gate g", "the line", r)


def test_run_that_ends_earlier(t):
    r = repeat(t, "single", PLACES)
    t.equal(order_line(r), "gatectl: order of events: run 3 differs from run 1 at event 3: it ends there; "
            "in run 1 two#1 logs second", "the line", r)


def test_run_that_ends_later(t):
    r = repeat(t, "single", PLACES, odd="1")
    t.equal(order_line(r), "gatectl: order of events: run 2 differs from run 1 at event 3: two#1 logs "
            "second; in run 1 it ended there (and 3 more runs)", "the line", r)


def test_same_order(t):
    r = repeat(t, "none", PLACES)
    t.equal((r.status, order_line(r)), (0, None), "nothing is said of it", r)
    r = repeat(t, "none", PLACES, options=["-v"])
    t.check("gatectl: the order of events was the same in all runs\n" in r.err, "-v says so", r)
    r = repeat(t, "swap", PLACES, options=["-q"])
    t.equal(r.err, "", "-q", r)


def test_held_or_not_is_no_difference(t):
    """In run 3 the thread comes so late that it is not held any more."""
    gates = 'local g = SimpleGate "g"\nat("//one"):wait(g)\nat("//two", {after = true}):open(g)\n'
    r = t.run_gated(compile_text("orders.c", ORDERS), gates,
                    args=(t.path("runs"), "3", "late"), options=["--repeat", "5", "-v"])
    t.check(1 <= r.err.count("one#1 is held") <= 4, "held in some runs and not in others", r)
    t.check("gatectl: the order of events was the same in all runs\n" in r.err, "the same", r)


def test_text_of_a_log_is_an_event(t):
    r = t.run_gated(compile_text("orders.c", ORDERS), 'at "//one":log "{program.var.late}"\n',
                    args=(t.path("runs"), "2", "late"), options=["--repeat", "3"])
    t.equal(r.status, 0, "status", r)
    t.check("one#1 logs 1; in run 1 one#1 logs 0" in (order_line(r) or ""), "the line", r)


# Two threads of a pool take four jobs in an order that argv[3] gives ("1212"), in run argv[2] that of argv[4].
POOL = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static const char *plan;
static int next, number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int even(void) { return 0; }
static int odd(void) { return 1; }
static void *pool(void *arg)
{
	pthread_mutex_lock(&lock);
	char own = '1' + number++;
	pthread_cond_broadcast(&turn);
	while (number < 2)
		pthread_cond_wait(&turn, &lock);
	while (plan[next]) {
		if (plan[next] != own) {
			pthread_cond_wait(&turn, &lock);
			continue;
		}
		next++ % 2 ? odd() : even();
		pthread_cond_broadcast(&turn);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
	pthread_t t[2];
	if (write(fd, "x", 1) != 1)
		return 99;
	plan = argv[lseek(fd, 0, SEEK_END) == atol(argv[2]) ? 4 : 3];
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, pool, NULL);
		pthread_mutex_lock(&lock);
		while (number <= i)
			pthread_cond_wait(&turn, &lock);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
"""

JOBS = 'at("even"):log "even"\nat("odd"):log "odd"\n'


def pool(t, plan, odd, script=JOBS):
    name = t.path("runs")
    if os.path.exists(name):
        os.unlink(name)
    return t.run_gated(compile_text("pool.c", POOL), script, args=(name, "3", plan, odd), options=["--repeat", "4", "-v"])


def test_threads_alike_that_changed_roles(t):
    """Which thread of a pool is number one is decided by who was created first: one renaming for the run is no difference."""
    same = "gatectl: the order of events was the same in all runs"
    r = pool(t, "1221", "1221")
    t.check(same + "\n" in r.err, "nobody changed roles", r)
    r = pool(t, "1221", "2112")
    t.check(same + ", except that threads of one start routine changed roles\n" in r.err, "the other way round", r)
    r = pool(t, "1221", "2121")
    t.equal(order_line(r), "gatectl: order of events: run 3 differs from run 1 at event 5: pool#2 logs even; in run 1 pool#2 "
            "logs even (until there pool#2 did what pool#1 did in run 1)", "not for the whole run", r)
    r = pool(t, "1221", "1122")
    t.check("event 3: pool#1 logs odd; in run 1 pool#2 logs odd" in (order_line(r) or ""), "one did what two did", r)


def test_threads_alike_that_the_script_tells_apart(t):
    for script in ('at("even", {thread = "pool#2", optional = true}):event "two"\n', "order \"even@pool#1 -> 'main%return'\"\n",
                   'at("even"):run(function(hit) if hit.thread.id == "pool#2" then return end end)\n'):
        r = pool(t, "1221", "2112", JOBS + script)
        t.check("run 3 differs from run 1 at event 1: pool#2 " in (order_line(r) or ""), script, r)
    r = pool(t, "1221", "2112", JOBS + 'at("even", {thread = "pool"}):event "any"\nat("odd", {thread = "p*#*"}):event "some"\n')
    t.check("the same in all runs, except that" in order_line(r), "patterns that fit both", r)


# ---- standard input ----------------------------------------------------------------------------

READS = """#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char text[9] = "";
	if (read(0, text, 4) < 0)
		return 9;
	puts(text); /* gate: here */
	fflush(stdout);
	return text[0] != 'm';
}
"""


def at(path, offset):
    """Standard input is this file, of which somebody has read the first bytes already."""
    def take():
        os.dup2(os.open(path, os.O_RDONLY), 0)
        os.lseek(0, offset, os.SEEK_SET)
    return take


@params(0, 4)
def test_each_run_reads_the_file(t, offset):
    path = t.file("in.txt", "mine" + "more" * 2 if offset else "mine")
    r = t.gate("run", "--repeat", "3", compile_text("reads_four.c", READS), preexec=at(path, offset))
    t.equal((r.status, r.stdout), (0, ("more\n" if offset else "mine\n") * 3), "the same in each", r)


def test_each_replay_reads_the_file(t):
    """... from where it stood, as the runs of the search do."""
    path = t.file("in.txt", "not " + "mine" + "rest")
    program = compile_text("reads_four.c", READS.replace("!= 'm'", "== 'm'"))
    r = t.gate("explore", "-n", "1", "-j", "1", "-o", t.path("found"), program, preexec=at(path, 4))
    t.equal(r.status, 116, "it fails with this input", r)
    r = t.gate("replay", "--repeat", "3", t.path("found/1/schedule"), preexec=at(path, 4))
    t.equal((r.status, r.stdout.count("mine\n")), (1, 3), "the same in each", r)


def test_a_pipe_is_read_once(t):
    r = t.gate("run", "--repeat", "2", compile_text("reads_four.c", READS), stdin=b"mine")
    t.equal((r.status, r.stdout), (1, "mine\n\n"), "the second run has nothing left", r)


@params("run", "prove", "explore", "races")
def test_file_is_read_from_the_offset(t, command):
    """... and what stands before it stays unread: a shell may have read commands there."""
    options = {"run": ("--repeat", "2"), "prove": ("-n", "2"), "explore": ("-n", "3", "-j", "1", "-o", t.path("found")),
               "races": ("-n", "3")}[command]
    script = t.file("s.lua", 'at "//here":log "x"\nexpect {exit = 0}\n')
    path = t.file("in.txt", "not " + "mine" + "rest")
    r = t.gate(command, *options, "-g", script, compile_text("reads_four.c", READS), preexec=at(path, 4))
    t.equal((r.status, "failed" in r.err.replace("nothing failed", "")), (0, False), "each run reads what the first one does", r)
