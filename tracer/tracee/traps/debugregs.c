/*
 * Debug registers of one thread: the words that they watch and the hits that they report. The
 * kernel clears them on exec and copies none to a new thread or process. The trap comes after the
 * store; a write by the kernel (read(2)) raises none.
 */
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DR_STATUS = 6, DR_CONTROL = 7 };

static int poke_of(pid_t tid, int number, uint64_t value)
{
	size_t at = offsetof(struct user, u_debugreg) + (size_t)number * sizeof(uint64_t);

	return ptrace(PTRACE_POKEUSER, tid, at, value) < 0 && errno != ESRCH ? -1 : 0;
}

static int poke(const struct thread *th, int number, uint64_t value)
{
	return poke_of(th->pub.tid, number, value);
}

static uint64_t peek(const struct thread *th, int number)
{
	size_t at = offsetof(struct user, u_debugreg) + (size_t)number * sizeof(uint64_t);

	return (uint64_t)ptrace(PTRACE_PEEKUSER, th->pub.tid, at, 0);
}

/* DR7: enables each register for writes of its length. */
static uint64_t scheduler_of(const struct watch_set *set)
{
	static const uint64_t length[] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
	const uint64_t on_write = 1;
	uint64_t control = 0;

	for (size_t i = 0; i < set->n; i++)
		control |= 1ull << (2 * i) | (on_write | length[set->items[i].size] << 2)
						     << (16 + 4 * i);
	return control;
}

/* The kernel checks an address against the length in force, so all registers are disabled first. */
static int debugregs_fill(const struct thread *th, const struct watch_set *set)
{
	if (th->watched.n && poke(th, DR_CONTROL, 0) < 0)
		return -1;
	for (size_t i = 0; i < set->n; i++)
		if (poke(th, (int)i, set->items[i].addr) < 0)
			return -1;
	return set->n ? poke(th, DR_CONTROL, scheduler_of(set)) : 0;
}

int debugregs_set(struct thread *th, const struct watch_set *set)
{
	th->rewatched |= th->watched.n > 0;
	if (debugregs_fill(th, set) < 0) {
		poke(th, DR_CONTROL, 0);
		th->watched.n = 0;
		return -1;
	}
	th->watched = *set;
	return 0;
}

/* A requested stop can overtake the report of a write; other words may be watched by then. */
bool debugregs_hit(struct thread *th)
{
	siginfo_t info;

	if (!th->watched.n && !th->rewatched)
		return false;
	return !ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) && info.si_code == TRAP_HWBKPT;
}

/* ---- test of the processor ------------------------------------------------------------------- */

static volatile uint64_t stored;

static _Noreturn void store_once(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) {
		raise(SIGSTOP);
		stored = 1;
	}
	_exit(0);
}

/* Returns the child's wait status, or 0 (as if it had exited) if there is nothing to wait for. */
static int status_of_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return status;
}

/* True if the stopped child's store is reported. Resumes the child;
   *status is its next wait status. */
static bool reports(pid_t pid, int *status)
{
	const struct watch_set set = {{{(uint64_t)&stored, sizeof(stored)}}, 1};

	if (poke_of(pid, 0, set.items[0].addr) < 0 ||
	    poke_of(pid, DR_CONTROL, scheduler_of(&set)) < 0 || ptrace(PTRACE_CONT, pid, 0, 0) < 0)
		return false;
	*status = status_of_child(pid);
	return WIFSTOPPED(*status) && WSTOPSIG(*status) == SIGTRAP;
}

/* True also if the test cannot be run. */
static bool try_a_store(void)
{
	bool works = true;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		store_once();
	status = pid < 0 ? 0 : status_of_child(pid);
	if (WIFSTOPPED(status))
		works = reports(pid, &status);
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		status_of_child(pid);
	}
	return works;
}

bool tracee_watch_works(void)
{
	static enum { UNKNOWN, NO, YES } answer;

	if (answer == UNKNOWN)
		answer = try_a_store() ? YES : NO;
	return answer == YES;
}

/* ---- words in the registers and words of the address space ----------------------------------- */

static bool debugregs_has_word(const struct watch_set *set, const struct tracee_watch *word)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->items[i].addr == word->addr && set->items[i].size == word->size)
			return true;
	return false;
}

bool watch_covers(const struct watch_set *has, const struct watch_set *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!debugregs_has_word(has, &wanted->items[i]))
			return false;
	return true;
}

static bool watch_same(const struct watch_set *a, const struct watch_set *b)
{
	return a->n == b->n && watch_covers(a, b);
}

void watch_agree(struct thread *th)
{
	struct tracee_space *space = space_of(th);

	if (!watch_same(&th->watched, &space->watched) && debugregs_set(th, &space->watched) < 0)
		space->refused = true;
}

bool watch_current(struct thread *th)
{
	uint64_t status;

	if (th->rewatched) /* the registers were set anew: which one was hit is unknown */
		return space_of(th)->watched.n > 0;
	status = peek(th, DR_STATUS);
	for (size_t i = 0; i < th->watched.n; i++)
		if ((status >> i & 1) &&
		    debugregs_has_word(&space_of(th)->watched, &th->watched.items[i]))
			return true;
	return false;
}
