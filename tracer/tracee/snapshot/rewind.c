/*
 * Restores a copy of the snapshot in place after its run: rewind.h. The copy's exit is held back,
 * then memory, files, registers and signal actions are set as they are in the snapshot.
 */
#include "tracer/tracee/snapshot/rewind.h"

#include <dirent.h>
#include <elf.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* runs that could not be restored, after which no further copy is watched */
	SPOILED_MOST = 8,
	LARGE_MOST = 4,
	FILES_MOST = 64, /* each gap between two of them is a close_range(2) */
	VECTORS_MOST = 64 * 1024,
};

/* ---- the snapshot ---------------------------------------------------------------------------- */

static int list_files(struct rewinding *w)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", w->kept->thread->pub.tid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			*array_add(&w->files) = atoi(entry->d_name);
	closedir(dir);
	return 0;
}

static int rewind_by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int read_vectors(struct rewinding *w)
{
	w->vectors = (struct iovec){base_alloc(1, VECTORS_MOST), VECTORS_MOST};
	return ptrace(PTRACE_GETREGSET, w->kept->thread->pub.tid, NT_X86_XSTATE, &w->vectors) < 0
		       ? -1
		       : 0;
}

/* RLIMIT_CPU counts all runs of a restored copy as one process. */
static bool computes_freely(pid_t pid)
{
	struct rlimit limit;

	return prlimit(pid, RLIMIT_CPU, NULL, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

struct rewinding *rewind_new(struct kept_program *k, uint64_t brk)
{
	struct rewinding *w = base_alloc(1, sizeof(*w));

	w->kept = k;
	w->brk = brk;
	if (!brk || k->thread->tracee->trace_exit || !computes_freely(k->thread->pub.tid) ||
	    rewind_mappings(w) < 0 || list_files(w) < 0 || read_vectors(w) < 0) {
		rewind_free(w);
		return NULL;
	}
	array_sort(&w->files, rewind_by_number);
	return w;
}

void rewind_free(struct rewinding *w)
{
	if (!w)
		return;
	if (w->spare)
		kill(w->spare, SIGKILL);
	array_fini(&w->mappings);
	array_fini(&w->files);
	base_free(w->vectors.iov_base);
	base_free(w);
}

/* ---- the end of a run ------------------------------------------------------------------------ */

bool rewind_give_up(struct rewinding *w)
{
	if (!w || w->spoiled >= SPOILED_MOST)
		return false;
	w->spoiled = SPOILED_MOST;
	return true;
}

void rewind_watch(struct rewinding *w, struct remote *r)
{
	struct process *p = (struct process *)r->th->pub.process;

	p->watched = w && w->spoiled < SPOILED_MOST && rewind_filter(r) == 0;
}

/* True if nothing else of the run is alive and no event or status is pending. */
static bool is_all(const struct thread *th)
{
	const struct tracee *t = th->tracee;
	const struct process *p = (const struct process *)th->pub.process;

	return p->pub.is_root && th->pub.tid == p->pub.pid && p->pub.threads == 1 &&
	       t->alive == 2 && t->queue_head == t->queue.count && !t->parked.count &&
	       !t->taken.count;
}

static bool has_pending(pid_t tid)
{
	struct __ptrace_peeksiginfo_args of_process = {0, PTRACE_PEEKSIGINFO_SHARED, 1};
	struct __ptrace_peeksiginfo_args of_thread = {0, 0, 1};
	siginfo_t info;

	return ptrace(PTRACE_PEEKSIGINFO, tid, &of_process, &info) != 0 ||
	       ptrace(PTRACE_PEEKSIGINFO, tid, &of_thread, &info) != 0;
}

/* True if rseq(2) is registered at the same address: the kernel writes the
   processor's number there. */
static bool has_same_rseq(pid_t a, pid_t b)
{
	struct __ptrace_rseq_configuration of_a = {0}, of_b = {0};

	ptrace(PTRACE_GET_RSEQ_CONFIGURATION, a, sizeof(of_a), &of_a);
	ptrace(PTRACE_GET_RSEQ_CONFIGURATION, b, sizeof(of_b), &of_b);
	return of_a.rseq_abi_pointer == of_b.rseq_abi_pointer;
}

/* True if the thread holds no robust lock, which the kernel would release at
   the end: set_robust_list(2). */
static bool holds_no_robust(const struct thread *th)
{
	uint64_t head[3]; /* the kernel's struct robust_list_head */
	void *at = NULL;
	size_t size;

	if (syscall(SYS_get_robust_list, th->pub.tid, &at, &size) < 0 || !at)
		return true;
	return tracee_read(th->pub.process, (uint64_t)at, head, sizeof(head)) == 0 &&
	       head[0] == (uint64_t)at && !head[2];
}

/* True if the kernel's state that no watched system call shows is as in the snapshot. */
static bool is_as_kept(const struct rewinding *w, const struct thread *th)
{
	const struct process *p = (const struct process *)th->pub.process;
	const struct process *kept = (const struct process *)w->kept->thread->pub.process;

	return !memcmp(&p->trap, &kept->trap, sizeof(p->trap)) &&
	       th->trap_blocked == w->kept->thread->trap_blocked && !th->watched.n &&
	       !has_pending(th->pub.tid) && holds_no_robust(th) &&
	       has_same_rseq(th->pub.tid, w->kept->thread->pub.tid);
}

bool rewind_ends(struct thread *th)
{
	struct rewinding *w = th->tracee->kept.rewinding;
	struct process *p = (struct process *)th->pub.process;

	if (!w || !p->watched || thread_regs(th) < 0 || th->regs.orig_rax != SYS_exit_group)
		return false;
	if (p->spoiled || !is_all(th) || !is_as_kept(w, th) ||
	    (p->opened && w->files.count > FILES_MOST)) {
		w->spoiled++;
		return false;
	}
	w->spare = p->pub.pid;
	w->opened = p->opened;
	w->actions = p->actions;
	th->tracee->on_status(th->tracee, p->pub.pid, W_EXITCODE((int)(th->regs.rdi & 0xff), 0));
	return true;
}

/* ---- restoring ------------------------------------------------------------------------------- */

pid_t rewind_take(struct rewinding *w)
{
	pid_t pid = w ? w->spare : 0;

	if (w)
		w->spare = 0;
	return pid;
}

static int close_range_of(struct remote *r, int64_t first, int64_t last)
{
	const uint64_t args[6] = {(uint64_t)first, (uint64_t)last};
	int64_t result;

	if (first > last)
		return 0;
	return remote_run(r, SYS_close_range, args, &result) < 0 || result < 0 ? -1 : 0;
}

/* Closes all files but those of the snapshot. */
static int close_files(const struct rewinding *w, struct remote *r)
{
	int64_t first = 0;

	array_each(const int, file, &w->files) {
		if (close_range_of(r, first, *file - 1) < 0)
			return -1;
		first = *file + 1;
	}
	return close_range_of(r, first, UINT32_MAX);
}

static int put_back(struct rewinding *w, struct remote *r)
{
	if (remote_mask(r->th) < 0 || rewind_memory(w, r) < 0 || rewind_actions(w, r) < 0 ||
	    (w->opened && close_files(w, r) < 0))
		return -1;
	return ptrace(PTRACE_SETREGSET, r->th->pub.tid, NT_X86_XSTATE, &w->vectors) < 0 ? -1 : 0;
}

int rewind_back(struct rewinding *w, struct remote *r)
{
	((struct process *)r->th->pub.process)->watched = true;
	if (w->large >= LARGE_MOST) {
		w->large = 0; /* most of it may be pages that an earlier run wrote */
		return -1;
	}
	if (put_back(w, r) == 0)
		return 0;
	w->spoiled++;
	return -1;
}
