/*
 * Can anybody still move? Judged from /proc, without stopping anyone, after a tick in which nothing
 * happened. Whatever is in doubt counts as moving: a verdict of deadlock has to be right.
 *
 * Two looks at every thread: one that is blocked in both and has not run in between was blocked all
 * the time from its first look to its second. So all of them were blocked together at the moment
 * between the two passes, and nothing inside can wake them.
 */
#include "tracer/session/internal.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

/* After a timer was found: for so long nobody is asked again. */
enum { DOUBT_TICKS = 25 };

enum { MUTEX_OWNER = 8, MUTEX_CONTENDED = 2, SCRATCH = 512 };

struct looked {
	struct session_thread *thread;
	struct target_block look;
};

static struct session_thread *by_tid(struct session *s, int tid)
{
	for (size_t i = s->threads.count; i-- > 0;)
		if (s->threads.items[i]->target && s->threads.items[i]->target->tid == tid)
			return s->threads.items[i];
	return NULL;
}

/* Could a process that is not traced by us wake a waiter at this address? */
static bool is_shared_outside(const struct session *s, struct session_process *p, uint64_t address)
{
	struct target_mapping map;

	if (target_mapping_at(p->target, address, &map) < 0)
		return true;
	return map.shared &&
	       (s->options->no_follow || strncmp(map.path, "/dev/zero", strlen("/dev/zero")) != 0);
}

static bool is_endless_wait(const struct target_block *b)
{
	int op = (int)b->args[1] & FUTEX_CMD_MASK;

	return !b->args[3] && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI ||
			       op == FUTEX_LOCK_PI2 || op == FUTEX_WAIT_REQUEUE_PI);
}

/*
 * The owner of the glibc mutex whose word this is; 0: it is none, or not known. PI and robust ones
 * have the owner in the word itself, with a bit for "somebody waits"; the others say "contended"
 * there and have the owner in a field of their own.
 */
static uint32_t mutex_owner(struct session_process *p, const struct target_block *b, uint32_t word)
{
	int op = (int)b->args[1] & FUTEX_CMD_MASK;
	uint32_t owner = 0;

	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
		return word & FUTEX_TID_MASK;
	if (word != (uint32_t)b->args[2] || (word != MUTEX_CONTENDED && !(word & FUTEX_WAITERS)))
		return 0;
	target_read(p->target, b->args[0] + MUTEX_OWNER, &owner, sizeof(owner));
	return word == MUTEX_CONTENDED || owner == (word & FUTEX_TID_MASK) ? owner : 0;
}

static void judge_futex(struct session *s, struct session_thread *t, const struct target_block *b,
			struct wait *w)
{
	bool private = b->args[1] & FUTEX_PRIVATE_FLAG;
	struct session_thread *other;
	uint32_t word = 0, tid;

	if (!is_endless_wait(b) || (!private && is_shared_outside(s, t->process, b->args[0])))
		return;
	w->kind = WAIT_FUTEX;
	if (target_read(t->process->target, b->args[0], &word, sizeof(word)) < 0)
		return;
	tid = mutex_owner(t->process, b, word);
	other = tid ? by_tid(s, (int)tid) : NULL;
	if (other) {
		w->kind = WAIT_MUTEX;
	} else if (!private && word == (uint32_t)b->args[2]) {
		other = by_tid(s, (int)word); /* cleared by the kernel when that thread ends */
		if (other)
			w->kind = WAIT_JOIN;
	}
	w->on = other ? other->engine : NULL;
}

static void judge_child(struct session *s, const struct target_block *b, struct wait *w)
{
	bool waitid = b->number == SYS_waitid;
	uint64_t options = waitid ? b->args[3] : b->args[2];

	if (s->options->no_follow || (options & WNOHANG))
		return;
	w->kind = WAIT_PROCESS;
	if (waitid)
		w->on_process = b->args[0] == P_PID ? (int)b->args[1] : 0;
	else
		w->on_process = (int)b->args[0] > 0 ? (int)b->args[0] : 0;
}

/* Could a process that is not traced by us store what a held thread waits for? */
static bool depends_on_others(const struct session *s, struct session_thread *t)
{
	if (!depend_is_asked(t))
		return false;
	array_each(const struct depend_read, r, &t->reads)
		if (r->process->target && is_shared_outside(s, r->process, r->address))
			return true;
	return false;
}

bool stuck_is_vfork(long number)
{
	return number == SYS_vfork || number == SYS_clone || number == SYS_clone3;
}

void stuck_wait_of(struct session *s, struct session_thread *t, const struct target_block *b,
		   struct wait *w)
{
	w->thread = t->engine;
	w->kind = WAIT_NOT;
	w->process = t->process->pid;
	w->parent = t->process->parent_pid;
	if (t->engine->held)
		w->kind = depends_on_others(s, t) ? WAIT_NOT : WAIT_GATE;
	else if (b->activity == TARGET_BLOCKED && b->number == SYS_futex)
		judge_futex(s, t, b, w);
	else if (b->activity == TARGET_BLOCKED && b->number == SYS_futex_waitv && !b->args[3])
		w->kind = WAIT_FUTEX;
	else if (b->activity == TARGET_BLOCKED &&
		 (b->number == SYS_wait4 || b->number == SYS_waitid))
		judge_child(s, b, w);
	else if ((b->activity == TARGET_DISK || b->activity == TARGET_BLOCKED) &&
		 stuck_is_vfork(b->number))
		w->kind = WAIT_PROCESS;
}

/* ---- signals that are still to come --------------------------------------------------------- */

static bool read_status(int pid, const char *key, unsigned long long *value)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strncmp(line, key, strlen(key)) == 0 &&
			sscanf(line + strlen(key), ": %llx", value) == 1;
	if (f)
		fclose(f);
	return found;
}

/* A timer of timer_create(2) that tells somebody; armed or not is not to be seen. */
static bool has_posix_timers(int pid)
{
	char path[64], line[256];
	bool any = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/timers", pid);
	f = fopen(path, "re");
	while (f && !any && fgets(line, sizeof(line), f))
		any = strncmp(line, "notify:", 7) == 0 && !strstr(line, "none");
	if (f)
		fclose(f);
	return any;
}

/* Asks the program itself, by a system call that a held thread makes for us: getitimer(2). */
static bool has_interval_timer(struct session *s, struct session_thread *held)
{
	struct arch_regs regs;
	struct itimerval timer;
	uint64_t args[6] = {ITIMER_REAL};
	int64_t result;

	if (target_regs(held->target, &regs) < 0)
		return true;
	args[1] = (regs.dwarf[ARCH_DWARF_SP] - SCRATCH) & ~(uint64_t)15;
	if (target_syscall(s->target, held->target, SYS_getitimer, args, &result) < 0 ||
	    result != 0 || target_read(held->process->target, args[1], &timer, sizeof(timer)) < 0)
		return true;
	return timer.it_value.tv_sec || timer.it_value.tv_usec;
}

/* Somebody of the process who can be asked: held, or asleep in a wait that can be interrupted. */
static struct session_thread *somebody(struct session *s, const struct session_process *p)
{
	struct session_thread *sleeper = NULL;

	for (size_t i = 0; i < s->threads.count; i++) {
		struct session_thread *t = s->threads.items[i];
		struct target_block look;

		if (t->process != p || !t->target)
			continue;
		if (t->engine->held)
			return t;
		target_look(t->target, &look);
		if (look.activity == TARGET_BLOCKED && look.number == SYS_futex &&
		    is_endless_wait(&look))
			sleeper = t;
	}
	return sleeper;
}

/* Asks for the interval timer; in doubt there is one. */
static bool ask_for_timer(struct session *s, struct session_thread *t)
{
	bool answer;

	if (t->engine->held)
		return has_interval_timer(s, t);
	if (target_pause(s->target, t->target) < 0)
		return true;
	answer = has_interval_timer(s, t);
	target_resume(s->target, t->target);
	return answer;
}

/* Will a signal come to this process from a timer, or from a child that we do not see? */
static bool expects_signal(struct session *s, struct session_process *p)
{
	unsigned long long caught = 0, ignored = 0;
	struct session_thread *t;

	read_status(p->pid, "SigCgt", &caught);
	read_status(p->pid, "SigIgn", &ignored);
	if (has_posix_timers(p->pid) || (s->untraced_children && caught))
		return true;
	if (ignored & (1ULL << (SIGALRM - 1)))
		return false;
	t = somebody(s, p);
	return t ? ask_for_timer(s, t) : caught & (1ULL << (SIGALRM - 1));
}

static bool any_expects_signal(struct session *s)
{
	for (size_t i = 0; i < s->processes.count; i++)
		if (s->processes.items[i]->target && expects_signal(s, s->processes.items[i]))
			return true;
	return false;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* False where this thread alone shows that something can move. */
static bool look_at(struct session_thread *t, struct looked *out)
{
	out->thread = t;
	if (!t->engine->held && t->target->state != TARGET_RUNNING)
		return false;
	target_look(t->target, &out->look);
	if (t->engine->held) /* not if it is being killed at this moment, with its process */
		return out->look.activity == TARGET_HALTED;
	return out->look.activity == TARGET_BLOCKED || out->look.activity == TARGET_DISK ||
	       out->look.activity == TARGET_DEAD;
}

static bool unchanged(const struct looked *before)
{
	struct looked now;

	if (!look_at(before->thread, &now))
		return false;
	return before->thread->engine->held || (now.look.activity == before->look.activity &&
						now.look.number == before->look.number &&
						now.look.switches == before->look.switches);
}

static void describe_cycle(struct session *s, const struct wait *waits, const size_t *cycle,
			   size_t length)
{
	str_clear(&s->cycle);
	for (size_t i = 0; i < length; i++) {
		struct session_thread *t = threads_of(waits[cycle[i]].thread);

		t->waiting.in_cycle = true;
		str_add(&s->cycle, i ? "; " : "");
		waiting_sentence(t, &s->cycle);
	}
}

struct looked_list {
	struct looked *items;
	size_t count, capacity;
};

static enum waits_answer judge_all(struct session *s, const struct looked_list *looked)
{
	struct wait *waits = base_alloc(looked->count, sizeof(*waits));
	size_t *cycle = base_alloc(looked->count, sizeof(*cycle));
	size_t length = 0;
	enum waits_answer answer;

	for (size_t i = 0; i < looked->count; i++)
		stuck_wait_of(s, looked->items[i].thread, &looked->items[i].look, &waits[i]);
	answer = waits_judge(waits, looked->count, cycle, &length);
	for (size_t i = 0; i < looked->count && answer != WAITS_MOVING; i++)
		if (!unchanged(&looked->items[i]))
			answer = WAITS_MOVING;
	if (answer != WAITS_MOVING) { /* in words now: asking wakes threads for a moment */
		waiting_look_all(s);
		describe_cycle(s, waits, cycle, length);
	}
	s->explained = answer != WAITS_MOVING;
	if (answer != WAITS_MOVING && any_expects_signal(s)) {
		s->doubt = DOUBT_TICKS;
		s->explained = false;
		answer = WAITS_MOVING;
	}
	base_free(waits);
	base_free(cycle);
	return answer;
}

enum waits_answer stuck_judge(struct session *s)
{
	struct looked_list looked = {0};
	enum waits_answer answer = WAITS_MOVING;
	bool moving = false;

	if (s->doubt) {
		s->doubt--;
		return WAITS_MOVING;
	}
	for (size_t i = 0; i < s->threads.count && !moving; i++) {
		struct looked l = {0};

		if (!s->threads.items[i]->target)
			continue;
		moving = !look_at(s->threads.items[i], &l);
		if (!moving && l.look.activity != TARGET_DEAD)
			*array_add(&looked) = l; /* a leader that has ended waits for nobody */
	}
	if (!moving && looked.count)
		answer = judge_all(s, &looked);
	array_fini(&looked);
	return answer;
}
