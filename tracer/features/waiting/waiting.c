/*
 * What each thread does or waits for when the run ends, for the verdict's words and the reports. A
 * thread that runs or is blocked is stopped for a moment to be asked where it is.
 */
#include "tracer/run/threads/threads.h"
#include "tracer/features/watchpoints/watchpoints.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/features/blocked/channels.h"
#include "tracer/features/waiting/trampoline.h"

#include <string.h>
#include <sys/syscall.h>

enum { MOST_OWNERS = 4 }; /* that are named */

/* ---- owners ---------------------------------------------------------------------------------- */

static struct waiter *waiter_of(struct waiters *all, const struct run_thread *t)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].thread == t)
			return &all->items[i];
	return NULL;
}

/* Readers of a rwlock and takers of a semaphore are recorded nowhere: only the source shows them. A
   reader that wants its own rwlock again is one of them. */
static void find_takers(struct waiters *all, struct waiter *w)
{
	bool unwritten = w->readers || w->what == PRIMITIVE_SEMAPHORE;

	for (size_t i = 0; i < all->count && unwritten; i++) {
		struct waiter *other = &all->items[i];
		struct owner o = {.thread = other->thread};

		if ((other != w || w->readers) && other->thread->process == w->thread->process &&
		    locks_taken(all, other, w, &o))
			*array_add(&w->owners) = o;
	}
}

static void look_for_owners(struct waiters *all, struct waiter *w)
{
	glibc_owners(all, w);
	if (w->what == PRIMITIVE_CONDITION && w->object) {
		signals_find(all, w);
		return;
	}
	array_each(struct owner, o, &w->owners) {
		const struct waiter *other = waiter_of(all, o->thread);

		if (other && w->object && w->what != PRIMITIVE_JOIN)
			locks_taken(all, other, w, o);
	}
	if (w->object)
		find_takers(all, w);
}

/* ---- words ------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
	[WAITING_GONE] = "exited",	   [WAITING_EXITED] = "exited",
	[WAITING_RUNNING] = "running",	   [WAITING_STOPPED] = "stopped",
	[WAITING_BLOCKED] = "blocked",	   [WAITING_GATE] = "gate",
	[WAITING_PROCESS] = "process",	   [WAITING_PIPE] = "pipe",
	[WAITING_FUTEX] = "futex",	   [WAITING_MUTEX] = "mutex",
	[WAITING_RWLOCK] = "rwlock",	   [WAITING_CONDITION] = "condition",
	[WAITING_SEMAPHORE] = "semaphore", [WAITING_BARRIER] = "barrier",
	[WAITING_ONCE] = "once",	   [WAITING_STREAM] = "stream",
	[WAITING_JOIN] = "join",	   [WAITING_FUTURE] = "future",
	[WAITING_LATCH] = "latch",	   [WAITING_ATOMIC] = "atomic",
	[WAITING_CRASHED] = "crashed",
};

const char *waiting_word(enum waiting_kind kind)
{
	return kinds[kind];
}

static const struct {
	enum waiting_kind kind;
	const char *noun;
} words[] = {
	[PRIMITIVE_NONE] = {WAITING_FUTEX, ""},
	[PRIMITIVE_MUTEX] = {WAITING_MUTEX, "mutex"},
	[PRIMITIVE_READ] = {WAITING_RWLOCK, "rwlock"},
	[PRIMITIVE_WRITE] = {WAITING_RWLOCK, "rwlock"},
	[PRIMITIVE_CONDITION] = {WAITING_CONDITION, "condition variable"},
	[PRIMITIVE_DESTROY] = {WAITING_CONDITION, "condition variable"},
	[PRIMITIVE_SEMAPHORE] = {WAITING_SEMAPHORE, "semaphore"},
	[PRIMITIVE_BARRIER] = {WAITING_BARRIER, "barrier"},
	[PRIMITIVE_ONCE] = {WAITING_ONCE, "the routine of"},
	[PRIMITIVE_GUARD] = {WAITING_ONCE, "the initialisation of"},
	[PRIMITIVE_STREAM] = {WAITING_STREAM, "stream"},
	[PRIMITIVE_JOIN] = {WAITING_JOIN, ""},
	[PRIMITIVE_FUTURE] = {WAITING_FUTURE, "future"},
	[PRIMITIVE_LATCH] = {WAITING_LATCH, "latch"},
	[PRIMITIVE_ATOMIC] = {WAITING_ATOMIC, "a change of atomic"},
	[PRIMITIVE_SYSCALL] = {WAITING_FUTEX, "futex"},
};

static void add_owner(const struct waiter *w, const struct owner *o, struct str *out)
{
	bool elsewhere = o->thread->process != w->thread->process && !w->wait.shared;
	bool copied = w->gone && (o->thread->tracee || elsewhere);

	str_add(out, o->thread->engine->id);
	if (o->thread == w->thread)
		str_add(out, " itself");
	if (copied)
		str_add(out, " of the process that was forked");
	if (o->file)
		str_addf(out, " (taken at %s:%u)", str_base_name(o->file), o->line);
	if (!o->thread->tracee && !copied)
		str_add(out, ", which has exited");
}

/* ", which worker#2 took at queue.c:12": said if it is not certain to be used as a lock. */
static void add_doers(const struct waiter *w, const char *what, struct str *out)
{
	for (size_t i = 0; i < w->owners.count && i < MOST_OWNERS; i++) {
		const struct owner *o = &w->owners.items[i];

		str_addf(out, "%s %s %s at %s:%u", i ? "," : ", which", o->thread->engine->id, what,
			 str_base_name(o->file), o->line);
	}
	if (w->owners.count > MOST_OWNERS)
		str_addf(out, " and %zu more %s", w->owners.count - MOST_OWNERS, what);
}

/* " held by worker#2 (taken at bank.c:31)" */
static void add_owners(const struct waiter *w, struct str *out)
{
	bool once = w->what == PRIMITIVE_ONCE || w->what == PRIMITIVE_GUARD;
	size_t shown = w->owners.count < MOST_OWNERS ? w->owners.count : MOST_OWNERS;
	unsigned more = w->readers > shown ? w->readers - (unsigned)shown : 0;

	for (size_t i = 0; i < shown; i++) {
		str_add(out, i ? ", " : once ? " run by " : " held by ");
		add_owner(w, &w->owners.items[i], out);
	}
	if (!shown && w->gone)
		str_addf(out, " held by thread %u, which is gone", w->tid);
	if (more)
		str_addf(out, "%s %u %sreader%s", shown ? " and" : " held by", more,
			 shown ? "more " : "", more == 1 ? "" : "s");
}

static const char *stream_name(const struct waiter *w)
{
	static const char *const names[][2] = {{"_IO_2_1_stdout_", "stdout"},
					       {"_IO_2_1_stderr_", "stderr"},
					       {"_IO_2_1_stdin_", "stdin"}};

	for (size_t i = 0; w->name && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(w->name, names[i][0]))
			return names[i][1];
	return w->name;
}

/* Locks inside libraries are named by what they protect. */
static const char *library_lock(const struct waiter *w)
{
	const struct run_process *p = w->thread->process;
	uint64_t low, high;

	if (w->what != PRIMITIVE_MUTEX && w->what != PRIMITIVE_NONE)
		return NULL;
	if (p->loader) {
		module_span(p->loader, &low, &high);
		if (w->object >= p->loader_base + low && w->object < p->loader_base + high)
			return "the loader's lock";
	}
	if (w->name && strncmp(w->name, "guard variable for ", 19) == 0)
		return NULL;
	if (primitive_is_in(w, "libc_malloc") || primitive_is_in(w, "libc_free") ||
	    primitive_is_in(w, "malloc") || primitive_is_in(w, "free"))
		return "malloc's lock";
	return NULL;
}

/* The wait of a condition variable ends when its mutex is free: " (with mutex m held by main)". */
static void add_mutex(const struct waiter *w, struct str *out)
{
	struct waiter mutex = {.thread = w->thread,
			       .wait = {.shared = w->wait.shared},
			       .what = PRIMITIVE_MUTEX,
			       .object = w->mutex_object};

	if (mutex.object)
		look_for_owners(w->all, &mutex);
	if (mutex.owners.count || mutex.gone || !w->by_lock) {
		str_addf(out, " (with mutex %s", w->mutex);
		add_owners(&mutex, out);
		str_add(out, ")");
	}
	array_fini(&mutex.owners);
}

static void add_thing(const struct waiter *w, struct str *out)
{
	const char *lock = library_lock(w), *name = w->name ? w->name : "";

	if (lock) {
		str_add(out, lock);
		return;
	}
	if (strncmp(name, "guard variable for ", 19) == 0)
		name += 19;
	if (w->what == PRIMITIVE_STREAM && stream_name(w))
		name = stream_name(w);
	str_addf(out, "%s%s%s", words[w->what].noun, *name ? " " : "", name);
	if (w->what == PRIMITIVE_READ)
		str_add(out, glibc_is_behind_writer(w) ? " (to read, behind a waiting writer)"
						       : " (to read)");
	if (w->what == PRIMITIVE_WRITE)
		str_add(out, " (to write)");
	if (w->mutex)
		add_mutex(w, out);
}

/* " (worker#1, worker#2)": threads that wait for the condition variable which this one destroys. */
static void add_waiters(const struct waiter *w, struct str *out)
{
	for (size_t i = 0; i < w->owners.count; i++)
		str_addf(out, "%s%s", i ? ", " : " (", w->owners.items[i].thread->engine->id);
	if (w->owners.count)
		str_add(out, ")");
}

static void describe_futex(const struct waiter *w, struct str *out)
{
	const char *verb = w->what == PRIMITIVE_BARRIER ? "waits at" : "waits for";

	if (w->what == PRIMITIVE_JOIN) {
		str_addf(out, "joins %s", w->wait.on ? w->wait.on->id : "a thread");
	} else if (w->what == PRIMITIVE_NONE && !library_lock(w)) {
		str_addf(out, "waits at %s (a condition variable, semaphore or raw futex)",
			 w->name ? w->name : "a futex");
	} else if (w->what == PRIMITIVE_DESTROY) {
		str_add(out, "destroys ");
		add_thing(w, out);
		str_add(out, ", and waits for the threads that wait for it");
	} else {
		str_addf(out, "%s ", verb);
		add_thing(w, out);
	}
	glibc_state(w, out);
	if (w->what == PRIMITIVE_DESTROY)
		add_waiters(w, out);
	else if (w->what == PRIMITIVE_SEMAPHORE)
		add_doers(w, "took", out);
	else if (w->what == PRIMITIVE_CONDITION)
		add_doers(w, "could signal", out);
	else if (w->what != PRIMITIVE_JOIN)
		add_owners(w, out);
	if (w->timed)
		str_add(out, ", with a time-out");
}

/* ---- children ------------------------------------------------------------------------------------ */

static bool is_waited_for(const struct waiter *w, const struct run_process *p)
{
	return p->tracee && (w->wait.on_process ? p->pid == w->wait.on_process
						: p->parent_pid == w->thread->process->pid);
}

static struct run_thread *main_of(const struct run *s, const struct run_process *p)
{
	array_each(struct run_thread *, t, &s->threads)
		if ((*t)->process == p && (*t)->tracee)
			return *t;
	return NULL;
}

static void describe_process(const struct run *s, const struct waiter *w, struct waiting *out)
{
	struct str names = {0};

	array_each(struct run_process *, p, &s->processes) {
		const struct run_thread *first = main_of(s, *p);

		if (!first || !is_waited_for(w, *p))
			continue;
		str_addf(&names, "%s%s", names.length ? ", " : "", first->engine->id);
		*array_add(&out->on) = first->engine;
	}
	out->kind = WAITING_PROCESS;
	if (tracee_is_vfork(w->block.number))
		str_add(&out->text, "waits for its child of vfork to exec or exit");
	else
		str_addf(&out->text, "waits for %s child process",
			 w->wait.on_process ? "the" : "a");
	if (names.length)
		str_addf(&out->text, w->wait.on_process ? " %s" : " (%s)", str_text(&names));
	str_fini(&names);
}

/* ---- one thread ---------------------------------------------------------------------------------- */

/* Calls that can block for long and have no words of their own. */
static void describe_system_call(long number, struct str *out)
{
	static const struct {
		long number;
		const char *name;
	} names[] = {
		{SYS_open, "open"},
		{SYS_openat, "openat"},
		{SYS_connect, "connect"},
		{SYS_semop, "semop"},
		{SYS_semtimedop, "semtimedop"},
		{SYS_msgrcv, "msgrcv"},
		{SYS_msgsnd, "msgsnd"},
		{SYS_mq_timedreceive, "mq_timedreceive"},
		{SYS_mq_timedsend, "mq_timedsend"},
		{SYS_futex_waitv, "futex_waitv"},
		{SYS_io_getevents, "io_getevents"},
		{SYS_io_uring_enter, "io_uring_enter"},
		{SYS_fsync, "fsync"},
		{SYS_fdatasync, "fdatasync"},
		{SYS_splice, "splice"},
		{SYS_tee, "tee"},
		{SYS_vmsplice, "vmsplice"},
		{SYS_sendfile, "sendfile"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].number != number)
			continue;
		str_addf(out, "is blocked in system call %s", names[i].name);
		return;
	}
	str_addf(out, "is blocked in system call %ld", number);
}

static void describe_blocked(struct waiters *all, struct waiter *w, struct waiting *out)
{
	long number = w->block.number;

	if (w->wait.kind == WAIT_NOT && number && !waiting_is_for_time(number) &&
	    number != SYS_futex && number != SYS_futex_waitv)
		out->call = number;
	if (w->wait.kind == WAIT_PROCESS) {
		describe_process(all->run, w, out);
	} else if (number == SYS_futex) {
		out->kind = words[w->what].kind;
		describe_futex(w, &out->text);
	} else if (waiting_asleep(w)) {
		out->kind = WAITING_BLOCKED;
		str_add(&out->text, waiting_asleep(w));
	} else if (descriptors_describe(all, w, &out->text)) {
		out->kind = WAITING_PIPE;
	} else if (w->block.hidden && number < 0) {
		out->kind = WAITING_BLOCKED;
		str_add(&out->text, "is blocked, and the kernel does not let you see in what");
	} else {
		out->kind = WAITING_BLOCKED;
		describe_system_call(number, &out->text);
	}
	out->is_deep = w->block.activity == TRACEE_DISK && !tracee_is_vfork(number);
	if (out->is_deep)
		str_add(&out->text, ", which no signal interrupts: the kernel waits for a file "
				    "system or a device");
	str_add(&out->text, primitive_occasion(w));
}

static void describe_held(const struct run *s, struct run_thread *t, struct waiting *w)
{
	const struct place *place = t->hold.place;
	struct str here = {0};

	w->kind = WAITING_GATE;
	w->held = true;
	str_add(&w->text, "is held");
	if (t->hold.gate)
		str_addf(&w->text, " at gate %s", t->hold.gate->name);
	else if (place)
		str_addf(&w->text, " by a %s of the script (%s)", place_holder(place),
			 place_source(place));
	w->object = t->hold.gate ? base_strdup(t->hold.gate->name) : NULL;
	w->file = t->hold_file;
	w->line = t->hold_line;
	w->func = t->hold_func;
	if (w->file)
		str_addf(&here, "%s:%u", str_base_name(w->file), w->line);
	if (place && strcmp(place->location, str_text(&here)) != 0)
		str_addf(&w->note, " (%s)", place->location);
	str_fini(&here);
	watchpoints_describe(s, t, &w->note);
}

static void waiting_add_place(const struct waiter *w, size_t told, struct waiting *out)
{
	const struct inspect_call *call = &w->stack.items[told];

	if (told >= w->stack.count)
		return;
	out->func = call->function ? call->function : module_name(call->frame.module);
	out->file = call->line ? call->file : NULL;
	out->line = call->line;
}

static void waiting_describe(struct waiters *all, struct waiter *w)
{
	struct run_thread *t = w->thread;
	struct waiting *out = waiting_of(t);
	enum tracee_activity activity = w->block.activity;

	if (t->engine->held) {
		describe_held(all->run, t, out);
		return;
	}
	if (t->paused) {
		out->kind = WAITING_GATE;
		str_add(&out->text, t->stays	? "stays where it was sent"
				    : t->parked ? "is held by hand"
						: "is stopped");
		waiting_add_place(w, w->own,
				  out); /* a user may be stepping it: the innermost line */
		return;
	}
	spinning_told(all->run, w);
	waiting_add_place(w, w->told, out);
	around_describe(w, activity == TRACEE_BLOCKED, &out->around);
	if (activity == TRACEE_BLOCKED || activity == TRACEE_DISK) {
		describe_blocked(all, w, out);
	} else if (t->tracee->state == TRACEE_GROUP_STOPPED) {
		out->kind = WAITING_STOPPED;
		str_add(&out->text, "is stopped by job control");
	} else if (activity == TRACEE_DEAD) {
		out->kind = WAITING_EXITED;
		str_add(&out->text, "has exited");
	} else {
		out->kind = WAITING_RUNNING;
		str_add(&out->text, judged_of(t)->ready ? "can go on" : "runs");
	}
	if (out->kind != WAITING_EXITED && out->kind != WAITING_STOPPED)
		spinning_describe(all->run, t, out);
	out->object = w->name ? base_strdup(w->name) : NULL;
	out->gone = w->gone;
	array_each(const struct owner, o, &w->owners) {
		*array_add(&out->on) = o->thread->engine;
		if (o->file && !out->taken_file && w->what != PRIMITIVE_CONDITION) {
			out->taken_file = o->file;
			out->taken_line = o->line;
		}
	}
}

/* ---- all of them --------------------------------------------------------------------------------- */

static void waiting_look(struct waiters *all, struct run_thread *t)
{
	struct waiter *w = array_add(all);

	w->thread = t;
	w->all = all;
	if (t->engine->held) {
		caller_look(all->run, w);
		trampoline_see(t, &w->stack);
		return;
	}
	if (judged_of(t)->on) /* it may have been stopped since to be asked */
		w->block = judged_of(t)->look;
	else
		tracee_look(t->tracee, &w->block);
	blocked_wait_of(all->run, t, &w->block, &w->wait);
	if (t->tracee->state == TRACEE_GROUP_STOPPED || w->block.activity == TRACEE_DEAD)
		return;
	if (!tracee_is_vfork(w->block.number))
		caller_look(all->run, w);
	trampoline_see(t, &w->stack);
	if (w->block.activity == TRACEE_BLOCKED)
		primitive_find(w);
	if (w->block.activity == TRACEE_BLOCKED && w->block.number == SYS_futex) {
		glibc_object(w);
		if (!w->what)
			w->what = locks_kind(all->run, w);
	}
}

/* Another thread that waits for the same object, and whose owners are known already. */
static const struct waiter *known_before(const struct waiters *all, const struct waiter *w)
{
	for (const struct waiter *other = all->items; w->object && other < w; other++)
		if (other->object == w->object && other->what == w->what &&
		    other->thread->process == w->thread->process)
			return other;
	return NULL;
}

static void find_owners(struct waiters *all, struct waiter *w)
{
	const struct waiter *known = known_before(all, w);

	if (w->block.activity != TRACEE_BLOCKED || w->block.number != SYS_futex)
		return;
	if (!known) {
		look_for_owners(all, w);
		return;
	}
	array_each(const struct owner, o, &known->owners)
		*array_add(&w->owners) = *o;
	w->readers = known->readers;
	w->gone = known->gone;
	w->tid = known->tid;
}

static void waiters_fini(struct waiters *all)
{
	array_each(struct waiter, w, all) {
		wait_fini(&w->wait);
		inspect_stack_fini(&w->stack);
		base_free(w->name);
		base_free(w->mutex);
		array_fini(&w->owners);
	}
	array_fini(&all->placed);
	array_fini(all);
}

void waiting_look_all(struct run *s)
{
	struct waiters all = {.run = s};

	caller_modules(s, &all);
	array_each(struct run_thread *, it, &s->threads) {
		struct run_thread *t = *it;

		waiting_fini(waiting_of(t));
		if (!t->tracee)
			continue;
		threads_name(s, t->engine);
		t->state = threads_state(s, t->engine);
		waiting_look(&all, t);
	}
	for (size_t i = 0; i < all.count; i++)
		find_owners(&all, &all.items[i]);
	locks_name_all(&all);
	for (size_t i = 0; i < all.count; i++)
		waiting_describe(&all, &all.items[i]);
	waiters_fini(&all);
}

void waiting_says(const struct run_thread *t, struct str *out)
{
	const struct waiting *w = waiting_of(t);

	str_add(out, w->kind != WAITING_GONE ? str_text(&w->text) : "has exited");
	if (w->func && !w->held)
		str_addf(out, "%s in %s", w->kind == WAITING_RUNNING ? "" : ",", w->func);
	if (w->file && w->line)
		str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
	str_add(out, str_text(&w->note));
}

void waiting_sentence(const struct run_thread *t, struct str *out)
{
	str_add(out, t->engine->id);
	trampoline_describe(t, out);
	str_add(out, " ");
	waiting_says(t, out);
}

void waiting_fini(struct waiting *w)
{
	str_fini(&w->text);
	str_fini(&w->around);
	str_fini(&w->note);
	base_free(w->object);
	array_fini(&w->on);
	*w = (struct waiting){0};
}

/* ---- kept with each thread ------------------------------------------------------------------ */

static void waiting_fini_kept(void *what)
{
	waiting_fini(what);
}

static const struct keeper keeper = {sizeof(struct waiting), waiting_fini_kept};

struct waiting *waiting_of(const struct run_thread *t)
{
	return kept_make(&t->kept, &keeper);
}

static const struct keeper judged_keeper = {sizeof(struct judged), NULL};

struct judged *judged_of(const struct run_thread *t)
{
	return kept_make(&t->kept, &judged_keeper);
}
