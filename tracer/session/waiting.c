/*
 * What each thread does or waits for when the run ends, for the verdict's words and the reports.
 * Whoever runs or is blocked is stopped for a moment to be asked where it is.
 */
#include "tracer/session/internal.h"

#include <string.h>
#include <sys/syscall.h>

static void name_object(struct session *s, struct session_process *p, uint64_t address,
			struct str *out)
{
	struct image *image = images_find(s, p, address);
	char *name = image ? symbols_name_of(image->module, address - image->bias) : NULL;

	if (name)
		str_add(out, name);
	else
		str_addf(out, "0x%llx", (unsigned long long)address);
	base_free(name);
}

static const char *sleeping(long number)
{
	switch (number) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return "sleeps";
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return "waits for a file descriptor (poll)";
	case SYS_read:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
		return "reads";
	case SYS_write:
	case SYS_sendto:
		return "writes";
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
		return "waits for a signal";
	default:
		return NULL;
	}
}

static void describe_held(const struct session *s, struct session_thread *t, struct waiting *w)
{
	const struct place *place = t->hold.place;

	w->kind = "gate";
	w->held = true;
	str_add(&w->text, "is held");
	if (t->hold.gate)
		str_addf(&w->text, " at gate %s", t->hold.gate->name);
	else
		str_add(&w->text, " by a function of the script");
	if (place)
		str_addf(&w->text, " (%s)", place->location);
	w->object = t->hold.gate ? base_strdup(t->hold.gate->name) : NULL;
	w->file = t->hold_file;
	w->line = t->hold_line;
	w->func = t->hold_func;
	depend_describe(s, t, &w->text);
}

static void describe_blocked(struct session *s, struct session_thread *t, const struct wait *wait,
			     const struct target_block *b, struct waiting *w)
{
	struct str name = {0};

	if (wait->on)
		*array_add(&w->on) = wait->on;
	switch (wait->kind) {
	case WAIT_MUTEX:
		w->kind = "mutex";
		name_object(s, t->process, b->args[0], &name);
		str_addf(&w->text, "waits for mutex %s held by %s", str_text(&name),
			 wait->on ? wait->on->id : "?");
		break;
	case WAIT_JOIN:
		w->kind = "join";
		str_addf(&w->text, "joins %s", wait->on ? wait->on->id : "?");
		break;
	case WAIT_PROCESS:
		w->kind = "process";
		str_add(&w->text, "waits for a child process");
		break;
	case WAIT_FUTEX:
		w->kind = "futex";
		name_object(s, t->process, b->args[0], &name);
		str_addf(&w->text, "waits at %s (a condition variable, semaphore or raw futex)",
			 str_text(&name));
		break;
	default:
		w->kind = "blocked";
		if (sleeping(b->number))
			str_add(&w->text, sleeping(b->number));
		else if (b->number == SYS_futex)
			str_add(&w->text, "waits with a time-out");
		else
			str_addf(&w->text, "is blocked in system call %ld", b->number);
	}
	w->object = name.length ? str_take(&name) : NULL;
}

static void look(struct session *s, struct session_thread *t, struct waiting *w)
{
	struct target_block block;
	struct wait wait = {0};

	if (t->engine->held) {
		describe_held(s, t, w);
		return;
	}
	target_look(t->target, &block);
	stuck_wait_of(s, t, &block, &wait);
	if (block.activity == TARGET_BLOCKED || block.activity == TARGET_DISK) {
		describe_blocked(s, t, &wait, &block, w);
		if (!stuck_is_vfork(block.number))
			caller_find(s, t, w);
	} else if (t->target->state == TARGET_GROUP_STOPPED) {
		w->kind = "stopped";
		str_add(&w->text, "is stopped by job control");
	} else if (block.activity == TARGET_DEAD) {
		w->kind = "exited";
		str_add(&w->text, "has exited");
	} else {
		w->kind = "running";
		str_add(&w->text, "runs");
		caller_find(s, t, w);
	}
}

void waiting_look_all(struct session *s)
{
	array_each(struct session_thread *, it, &s->threads) {
		struct session_thread *t = *it;

		waiting_fini(&t->waiting);
		if (!t->target)
			continue;
		threads_name(s, t->engine);
		t->state = threads_state(s, t->engine);
		look(s, t, &t->waiting);
	}
}

void waiting_sentence(const struct session_thread *t, struct str *out)
{
	const struct waiting *w = &t->waiting;
	const char *base = w->file ? strrchr(w->file, '/') : NULL;

	str_addf(out, "%s %s", t->engine->id, w->kind ? str_text(&w->text) : "has exited");
	if (w->func && !w->held)
		str_addf(out, "%s in %s", strcmp(w->kind, "running") == 0 ? "" : ",", w->func);
	if (w->file && w->line)
		str_addf(out, " at %s:%u", base ? base + 1 : w->file, w->line);
}

void waiting_fini(struct waiting *w)
{
	str_fini(&w->text);
	base_free(w->object);
	array_fini(&w->on);
	*w = (struct waiting){0};
}
