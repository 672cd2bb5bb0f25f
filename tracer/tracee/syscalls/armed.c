/*
 * The program's timers (alarm, setitimer, timer_settime, timerfd_settime), as far as they expire by
 * a clock that goes on by itself. The kernel keeps their time; a sleep that ends at its turn must
 * not overtake them. Times are those of tracee_slept().
 */
#include "tracer/tracee/syscalls/armed.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum {
	NS_OF_S = 1000000000,
	NS_OF_US = 1000,
	EXPIRY_NS = 1000000, /* the kernel is that late at most */
};

static uint64_t machine_ns(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) < 0
		       ? 0
		       : (uint64_t)now.tv_sec * NS_OF_S + (uint64_t)now.tv_nsec;
}

/* A timer that the program has set. */
struct armed {
	const struct tracee_process *process;
	uint64_t kind, id;
	uint64_t due_ns;
	uint64_t kernel_ns; /* when the kernel expires it, by CLOCK_MONOTONIC */
	uint64_t interval_ns;
};

struct armed_list {
	ARRAY(struct armed) all;
};

/* The arguments of the call that sets a timer. */
struct armed_setting {
	uint64_t id;
	uint64_t value_ns, interval_ns; /* a value of 0 stops the timer */
	bool is_absolute;
	clockid_t clock;
};

static uint64_t ns_of(struct timespec time, long unit)
{
	return (uint64_t)time.tv_sec * NS_OF_S + (uint64_t)(time.tv_nsec * unit);
}

static bool read_setting(struct thread *th, uint64_t address, long unit, struct armed_setting *out)
{
	struct itimerspec time;

	if (memory_read(space_of(th), address, &time, sizeof(time)) < 0)
		return false;
	out->value_ns = ns_of(time.it_value, unit);
	out->interval_ns = ns_of(time.it_interval, unit);
	return true;
}

static clockid_t clock_of_timer(struct thread *th, uint64_t number, uint64_t id)
{
	struct tracee_timerfd file;
	struct tracee_timer timer;

	if (number == SYS_timerfd_settime && tracee_timerfd(th->pub.process, (int)id, &file))
		return file.clock;
	if (number == SYS_timer_settime && tracee_timer(th->pub.process, (int)id, &timer))
		return timer.clock;
	return CLOCK_MONOTONIC;
}

/* Returns false if the call sets no such timer. */
static bool setting_of(struct thread *th, uint64_t number, struct armed_setting *out)
{
	const struct user_regs_struct *regs = &th->regs;

	if (number == SYS_alarm) {
		out->value_ns = (uint64_t)(unsigned)regs->rdi * NS_OF_S;
		return true;
	}
	if (number == SYS_setitimer)
		return regs->rdi == ITIMER_REAL && read_setting(th, regs->rsi, NS_OF_US, out);
	out->id = regs->rdi;
	out->is_absolute = regs->rsi & TIMER_ABSTIME;
	out->clock = clock_of_timer(th, number, out->id);
	return read_setting(th, regs->rdx, 1, out);
}

static bool sets_timer(uint64_t number)
{
	return number == SYS_alarm || number == SYS_setitimer || number == SYS_timer_settime ||
	       number == SYS_timerfd_settime;
}

/* alarm(2) and setitimer(2) set the same timer. */
static uint64_t kind_of(uint64_t number)
{
	return number == SYS_alarm ? SYS_setitimer : number;
}

void armed_note(struct thread *th, uint64_t number)
{
	struct tracee *t = th->tracee;
	struct armed_setting s = {.clock = CLOCK_MONOTONIC};
	uint64_t kernel_ns, own_ns;

	if (!sets_timer(number) || thread_regs(th) < 0 || !setting_of(th, number, &s))
		return;
	if (!t->armed)
		t->armed = base_alloc(1, sizeof(*t->armed));
	for (size_t i = t->armed->all.count; i-- > 0;)
		if (t->armed->all.items[i].process == th->pub.process &&
		    t->armed->all.items[i].kind == kind_of(number) &&
		    t->armed->all.items[i].id == s.id)
			array_remove(&t->armed->all, i);
	if (!s.value_ns)
		return;
	kernel_ns = own_ns = s.value_ns;
	if (s.is_absolute) {
		uint64_t now_ns = machine_ns(s.clock);

		kernel_ns = s.value_ns > now_ns ? s.value_ns - now_ns : 0;
		if (!clock_length(th, s.clock, &own_ns, &now_ns))
			own_ns = 0;
	}
	*array_add(&t->armed->all) = (struct armed){
		.process = th->pub.process,
		.kind = kind_of(number),
		.id = s.id,
		.due_ns = t->slept_ns + own_ns,
		.kernel_ns = machine_ns(CLOCK_MONOTONIC) + kernel_ns,
		.interval_ns = s.interval_ns,
	};
}

static bool exists(const struct tracee *t, const struct tracee_process *process)
{
	const struct process *p;

	TAILQ_FOREACH(p, &t->processes, link)
	if (&p->pub == process)
		return true;
	return false;
}

uint64_t tracee_timer_due(struct tracee *t)
{
	const uint64_t now_ns = t->armed ? machine_ns(CLOCK_MONOTONIC) : 0;
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = t->armed ? t->armed->all.count : 0; i-- > 0;) {
		struct armed *a = &t->armed->all.items[i];
		bool is_over = now_ns >= a->kernel_ns + EXPIRY_NS;

		if (now_ns >= a->kernel_ns && a->due_ns > t->slept_ns)
			t->slept_ns = a->due_ns;
		if (is_over && a->interval_ns) {
			uint64_t more = 1 + (now_ns - a->kernel_ns) / a->interval_ns;

			a->kernel_ns += more * a->interval_ns;
			a->due_ns += a->interval_ns;
		} else if (is_over || !exists(t, a->process)) {
			array_remove(&t->armed->all, i);
			continue;
		}
		if (a->due_ns < first_ns)
			first_ns = a->due_ns;
	}
	return first_ns;
}

void armed_free(struct tracee *t)
{
	if (t->armed)
		array_fini(&t->armed->all);
	base_free(t->armed);
}
