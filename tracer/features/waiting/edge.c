/* The wait graph's edge of one thread, and the data kept with each thread. */
#include "tracer/features/watchpoints/watchpoints.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <sys/syscall.h>
#include <sys/wait.h>

static void judge_child(struct run *s, const struct tracee_block *b, struct wait *w)
{
	bool waitid = b->number == SYS_waitid;
	int child = waitid ? (int)b->args[1] : (int)b->args[0];

	if (run_options(s)->no_follow || run_options(s)->pid || (b->args[waitid ? 3 : 2] & WNOHANG))
		return; /* the child may be untraced */
	w->kind = WAIT_PROCESS;
	if (waitid ? b->args[0] == P_PID : child > 0)
		w->on_process = child;
}

/* True if an untraced process could store the value for which a held thread waits. */
static bool depends_on_others(const struct run *s, struct run_thread *t)
{
	if (!watchpoints_is_asked(t))
		return false;
	array_each(const struct watchpoint_read, r, watchpoints_reads(t))
		if (run_process_lives(r->process) &&
		    futexes_reach(s, r->process, r->address, NULL) == REACH_OUTSIDE)
			return true;
	return false;
}

/* A process made by vfork shares its parent's memory. */
static int space_of(const struct run *s, const struct run_process *p)
{
	run_each_process(other, s)
		if (run_process_lives(other) && run_process_lives(p) &&
		    run_process_tracee(other)->space == run_process_tracee(p)->space)
			return run_process_pid(other);
	return run_process_pid(p);
}

void judge_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		struct ends *ends)
{
	struct ends unused = {0};

	ends = ends ? ends : &unused;
	w->thread = run_thread_engine(t);
	w->kind = WAIT_NOT;
	w->process = run_process_pid(run_process_of(t));
	w->parent = run_process_parent_pid(run_process_of(t));
	w->space = space_of(s, run_process_of(t));
	if (run_thread_is_held(t) || run_thread_is_paused(t))
		w->kind = depends_on_others(s, t) ? WAIT_NOT : WAIT_GATE;
	else if (b->activity != TRACEE_BLOCKED && b->activity != TRACEE_DISK)
		return;
	else if (tracee_is_vfork(b->number))
		w->kind = WAIT_PROCESS;
	else if (b->activity == TRACEE_DISK)
		return;
	else if (b->number == SYS_futex || b->number == SYS_futex_waitv)
		futexes_wait(s, t, b, w, ends);
	else if (b->number == SYS_wait4 || b->number == SYS_waitid)
		judge_child(s, b, w);
	else if (syscalls_is_at_file(t, b))
		syscalls_wait(s, t, b, w, ends);
	else if (timers_is_helper(t, b))
		w->kind = WAIT_FUTEX; /* a thread that arms a timer could wake it */
	array_fini(&unused);
}

/* ---- per-thread data --------------------------------------------------------------------- */

void waiting_fini(struct waiting *w)
{
	str_fini(&w->text);
	str_fini(&w->around);
	str_fini(&w->note);
	base_free(w->object);
	array_fini(&w->on);
	*w = (struct waiting){0};
}

struct thread_waits {
	struct waiting waiting;
	struct judged judged;
	struct trampoline trampoline;
};

static void thread_waits_fini(void *what)
{
	waiting_fini(&((struct thread_waits *)what)->waiting);
}

static const struct keeper keeper = {sizeof(struct thread_waits), thread_waits_fini};

static struct thread_waits *thread_waits_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &keeper);
}

struct waiting *waiting_of(const struct run_thread *t)
{
	return &thread_waits_of(t)->waiting;
}

struct judged *judged_of(const struct run_thread *t)
{
	return &thread_waits_of(t)->judged;
}

struct trampoline *trampoline_of(const struct run_thread *t)
{
	return &thread_waits_of(t)->trampoline;
}
