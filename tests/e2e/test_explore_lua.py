"""explore --strategy FILE.lua: the tester's own strategy sees the program's points, and decides."""
from harness import compile_text

PROGRAM = r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen, done;
static void *early(void *arg)
{
	pthread_mutex_lock(&lock); /* early */
	seen = done;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, early, 0);
	pthread_mutex_lock(&lock); /* main */
	done = 1;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, 0);
	return seen ? 0 : 3;
}
"""
# Whoever is in `func` goes on; else the first one.
STRATEGY = """
local runs = 0
strategy {
  start = function(run) runs = runs + 1 end,
  choose = function(points)
    for i, p in ipairs(points) do
      if p.func == "%s" and p.op == "lock" then print(runs, p.file:match "[^/]*$", p.line) return i end
    end
    return math.random(#points)
  end
}
"""


def explore(t, strategy, runs=5):
    return t.gate("explore", "-o", t.path("found"), "--strategy", t.file("s.lua", strategy), "--runs", str(runs),
                  "--seed", "3", compile_text("early.c", PROGRAM))


def test_decides(t):
    """Held back until the other has been there, the thread never comes too early; let go first it does."""
    hold = STRATEGY.replace("return math.random(#points)",
                            'for i, p in ipairs(points) do if p.func ~= "early" then return i end end return 1')
    r = explore(t, hold % "main")
    t.equal(r.status, 0, "status", r)
    t.check("1\tearly.c\t16\n" in r.err and "5\tearly.c\t16\n" in r.err, "what it printed", r)
    r = explore(t, hold.replace('~= "early"', '~= "main"') % "early")
    t.equal(r.status, 116, "status", r)
    t.check("1\tearly.c\t7\n" in r.err, "what it printed", r)


def test_same_dice(t):
    """math.random is the search's: the same seed, the same runs."""
    first, second = (explore(t, STRATEGY % "main", 20) for _ in range(2))
    t.check(first.err.count("early.c\t16") > 1, "what it printed", first)
    printed = [[line for line in r.err.split("\n") if "\t" in line] for r in (first, second)]
    t.equal(printed[0], printed[1], "what it printed the second time", first)


NAMES = r"""
#include <pthread.h>
#include <stdlib.h>
struct account { int id, balance; pthread_mutex_t lock; };
static pthread_cond_t rich = PTHREAD_COND_INITIALIZER;
static int total;
static void *pay(void *arg)
{
	struct account *account = arg;
	total++;
	pthread_mutex_lock(&account->lock);
	account->balance++;
	pthread_cond_signal(&rich);
	pthread_mutex_unlock(&account->lock);
	return arg;
}
int main(void)
{
	struct account *a = calloc(1, sizeof(*a));
	pthread_t t[2];
	pthread_mutex_init(&a->lock, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, pay, a);
	pthread_mutex_lock(&a->lock);
	while (a->balance < 2)
		pthread_cond_wait(&rich, &a->lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def test_names(t):
    """Who is at a point, and what it is about: as the source calls it."""
    r = t.gate("explore", "-o", t.path("found"), "--points", "memory", "--runs", "1", "--strategy", t.file("s.lua", """
strategy { choose = function(points)
  for _, p in ipairs(points) do print(p.thread, p.number, p.op, p.var) end
  return #points
end }"""), compile_text("names.c", NAMES))
    for seen in ("pay#1\t1\twrite\ttotal", "pay#2\t2\tread\ttotal", "pay#1\t1\tlock\taccount->lock", "pay#2\t2\twrite\taccount->balance",
                 "pay#1\t1\tsignal\trich", "pay#2\t2\tunlock\taccount->lock", "main\t0\tlock\ta->lock", "main\t0\tread\ta->balance",
                 "main\t0\tcreate\tnil"):
        t.check(seen + "\n" in r.err, "it sees " + seen, r)


def test_faults(t):
    r = explore(t, "\nstrategy { choose = function(points) return points[1].colour end }")
    t.error(r, where=t.path("s.lua") + ":2")
    t.check("gatectl-explore(1) describes strategies" in r.err and "gates(5)" not in r.err, "which page helps", r)
    t.error(explore(t, "strategy { choose = function(points) return 0 end }"), where=t.path("s.lua") + ":1")
    t.error(explore(t, "strategy { }"), where=t.path("s.lua") + ":1")
    t.error(t.gate("explore", "-o", t.path("found"), "--strategy", t.path("none.lua"), "true"))
