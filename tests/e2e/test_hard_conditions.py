"""Conditions and calls that once went wrong: each is the smallest program that showed it."""

from harness import compile_text

RUNS = {False: 15, True: 300}  # quick, full

LAST_STORE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile long w[40];
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
static void *worker(void *arg)
{
	puts("released"); /* gate: here */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	double end = now() + atoi(argv[1]) * 1e-6;
	pthread_create(&t, NULL, worker, NULL);
	while (now() < end)
		;
	for (int i = 8; i <= 32; i += 8)
		w[i] = 1;
	w[0] = 1;
	pthread_join(t, NULL);
	return argc == 0;
}
"""


def test_last_store_before_all_threads_block(t):
    """More words than are watched: the store may be younger than the last look at them."""
    program = compile_text("last_store.c", LAST_STORE)
    for k in range(RUNS[t.full]):
        r = t.run_gated(program, args=(str(45000 + k * 20000 // RUNS[t.full]),), script=
                        'at "//here":when(function(hit) local w = hit.var.w'
                        ' return w[8] + w[16] + w[24] + w[32] + w[0] == 5 end)\n')
        t.clean(r)
        t.equal(r.stdout, "released\n", "stdout in run %d" % k, r)


STUCK = r"""
#include <pthread.h>
#include <stdio.h>
static volatile int flag;
int ready(void) { return flag; }
static void *worker(void *arg)
{
	puts("in"); /* gate: here */
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return ready();
}
"""


def test_no_thread_can_open_a_condition_with_calls(t):
    """The condition is asked every few milliseconds: that is no movement of the program."""
    r = t.run_gated(compile_text("stuck_call.c", STUCK), options=("--gate-limit", "50"),
                    script='at "//here":when(function(hit) return hit:call("ready") == 1 end)\n')
    t.verdict(r, 122)


EXITS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long flag;
int ready(void)
{
	for (volatile int i = 0; i < 300000; i++)
		;
	return flag;
}
static void *worker(void *arg)
{
	puts("released"); /* gate: here */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	usleep(atoi(argv[1])); /* gate: ends */
	_exit(argc == 2 ? 3 : ready());
}
"""
EXITS_GATES = """local came = SimpleGate "came"
at("//here"):open(came):when(function(hit) return hit:call("ready") == 1 end)
at("//ends"):wait(came)
"""


def test_exit_during_a_condition(t):
    """The thread that is asked dies: that is no fault of the script."""
    program = compile_text("exits.c", EXITS)
    for k in range(RUNS[t.full]):
        r = t.run_gated(program, args=(str(k * 10000 // RUNS[t.full]),), script=EXITS_GATES)
        t.verdict(r, 121)


THREAD_IN_CALL = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static sigset_t got;
static pthread_t made;
static void *fresh(void *arg)
{
	pthread_sigmask(0, NULL, &got);
	return arg;
}
int spawn(void) { return pthread_create(&made, NULL, fresh, NULL); }
int main(void)
{
	puts("begin"); /* gate: here */
	if (!made)
		spawn();
	pthread_join(made, NULL);
	printf("blocked %d\n", sigismember(&got, SIGTERM));
	return 0;
}
"""


def test_signals_of_a_thread_made_in_a_call(t):
    """It gets the mask of its creator, not the one that is set for the call."""
    r = t.clean(t.run_gated(compile_text("thread_in_call.c", THREAD_IN_CALL),
                            script='at "//here":run(function(hit) hit:call("spawn") end)\n'))
    t.equal(r.stdout, "begin\nblocked 0\n", "stdout", r)


REMAPPED = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *flag;
static int *map(void)
{
	return mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
static void *worker(void *arg)
{
	puts("released"); /* gate: here */
	return arg;
}
int main(void)
{
	pthread_t t;
	flag = map();
	pthread_create(&t, NULL, worker, NULL);
	usleep(50000);
	munmap((void *)flag, 4096);
	usleep(50000);
	map();
	*flag = 1;
	pthread_join(t, NULL);
	return 0;
}
"""


def test_memory_that_is_mapped_again(t):
    """What could not be read is depended upon, too."""
    r = t.clean(t.run_gated(compile_text("remapped.c", REMAPPED), script='''
at "//here":when(function(hit)
  local ok, v = pcall(function() return hit.var.flag[0] end)
  return ok and v == 1
end)
'''))
    t.equal(r.stdout, "released\n", "stdout", r)


OTHER_STATE = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int pipes[2];
static void *reader(void *arg)
{
	char c;
	puts("reads"); /* gate: reader */
	for (volatile int i = 0; i < 100000000; i++)
		;
	return read(pipes[0], &c, 1) == 1 ? arg : NULL;
}
static void *waits(void *arg)
{
	usleep(20000);
	write(pipes[1], "", 1); /* gate: waits */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	if (pipe(pipes))
		return 1;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, waits, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""


def test_state_of_another_thread(t):
    """No store tells that a thread has blocked."""
    t.clean(t.run_gated(compile_text("other_state.c", OTHER_STATE), script='''
local other
at "//reader":run(function(hit) other = hit.thread end)
at "//waits":when(function() return other and other.state == "blocked" end)
'''))


EXEC_IN_CALL = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int slow(void)
{
	for (volatile int i = 0; i < 300000; i++)
		;
	return 0;
}
static volatile int begun;
static void *worker(void *arg)
{
	begun = 1;
	puts("released"); /* gate: here */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	if (argc == 3) {
		puts("again");
		return slow();
	}
	pthread_create(&t, NULL, worker, NULL);
	while (!begun)
		usleep(1000);
	usleep(20000 + atoi(argv[1]));
	return execl("/proc/self/exe", argv[0], "x", "again", (char *)NULL);
}
"""


def test_exec_during_a_call(t):
    """Another thread execs while a function runs for a condition."""
    program = compile_text("exec_in_call.c", EXEC_IN_CALL)
    for k in range(RUNS[t.full]):
        r = t.run_gated(program, args=(str(k * 10000 // RUNS[t.full]),), script=
                        # optional: on a busy machine the exec may come first
                        'at("//here", {optional = true}):when(function(hit) return hit:call("slow") == 1 end)\n')
        t.clean(r)
        t.equal(r.stdout, "again\n", "stdout in run %d" % k, r)
