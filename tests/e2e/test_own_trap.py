"""A program with its own use for SIGTRAP: what the script does by that signal holds all the same."""

from harness import compile_text, params

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
static volatile int n;
static void handler(int signal)
{
	n += signal;
}
int main(int argc, char **argv)
{
	signal(SIGTRAP, argc > 1 ? SIG_IGN : handler);
	n++; /* gate: here */
	puts("alive");
	return 0;
}
"""


@params("handled", "ignored")
def test_kill(t, how):
    program = compile_text("own.c", PROGRAM)
    args = ("x",) if how == "ignored" else ()
    r = t.run_gated(program, script='at("//here"):kill("SIGTRAP")\n', args=args)
    t.equal((r.status, r.out), (133, b""), "status and output", r)


UNTRACED = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t *sem;
static void place(void)
{
	sem_post(sem); /* gate: here */
}
static long make(unsigned long flags)
{
	long result;
	register long tls __asm__("r8") = 0, ctid __asm__("r10") = 0;
	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(SYS_clone), "D"(flags), "S"(0), "d"(0), "r"(tls), "r"(ctid)
			 : "rcx", "r11", "memory");
	return result;
}
int main(int argc, char **argv)
{
	int blocked = atoi(argv[1]) & 1, waits = atoi(argv[1]) & 2, own = atoi(argv[1]) & 4, status;
	sigset_t set;
	sem = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(sem, 1, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (blocked)
		sigprocmask(SIG_BLOCK, &set, NULL);
	if (make(SIGCHLD | (own ? 0 : CLONE_UNTRACED)) == 0) {
		if (own)
			raise(SIGTRAP);
		place();
		_exit(7);
	}
	if (waits)
		return wait(&status) < 0 || !WIFSIGNALED(status) ? 0 : WTERMSIG(status);
	return sem_wait(sem);
}
"""


@params("0", "1", "2")
def test_untraced_child(t, how):
    """A child that nobody sees dies of a trap of ours: that is no deadlock of the program's, and no end of it."""
    program = compile_text("untraced_by_hand.c", UNTRACED, "-g -O0 -pthread")
    t.equal(t.run([program, how]).status, 0, "bare")
    r = t.run_gated(program, script='at("place", { optional = true }):log("here")\n', args=(how,))
    t.equal(r.status, 125, "status", r)
    t.check("a child that the program has made untraced (CLONE_UNTRACED, past the C library), has died of SIGTRAP"
            in r.first, "what has happened", r)
    t.check("try: make it by the C library's clone()" in r.err, "what to do", r)


def test_own_child_by_trap(t):
    """A child of its own that raises SIGTRAP is none of these."""
    program = compile_text("untraced_by_hand.c", UNTRACED, "-g -O0 -pthread")
    r = t.run_gated(program, script='at("place", { optional = true }):log("here")\n', args=("6",))
    t.equal((r.status, r.err), (5, ""), "as bare", r)
