"""gatectl explore: scripts of failures that are about who waits for a condition, and who is woken."""

import re

from harness import compile_text, params, timeout

SECONDS = 110

# The flag is set without the lock: between the look at it and the wait nobody hears of it.
PREDICATE = """#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable cv;
static std::atomic<bool> stop;
static void worker()
{
	std::unique_lock<std::mutex> l(m);
	cv.wait(l, [] { return stop.load(); });
}
int main()
{
	std::thread t(worker);
	stop = true;
	cv.notify_all();
	t.join();
	return 0;
}
"""


def read(path):
    with open(path) as f:
        return f.read()


def explore(t, program, *args):
    r = t.gate("explore", "-j", "1", "-o", t.path("found"), *args, "--", program, env={"GATECTL_VERIFY": "10"}, seconds=SECONDS)
    t.equal(r.status, 116, "status", r)
    t.check("\nthe script has forced it in 10 of 10 runs\n" in r.err, "there is a script", r)
    return t.path("found/1/gates.lua")


def forces(t, script, program):
    r = t.gate("run", "--repeat", "20", "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


@timeout(150)
@params("-O0", "-O2")
def test_predicate(t, optimised):
    """cv.wait(lock, predicate) calls both in one line of the tester's: between them is a line of the header."""
    program = compile_text("predicate.cc", PREDICATE, "-g " + optimised)
    script = explore(t, program)
    t.check(re.search(r"\(condition_variable:\d+\)", read(script)), "the story: " + read(script))
    forces(t, script, program)
