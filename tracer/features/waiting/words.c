/* Writes what each thread does or waits for, for verdicts, reports, crashes and the REPL. */
#include "tracer/features/watchpoints/watchpoints.h"
#include "tracer/features/waiting/waiting_internal.h"

#include "tracer/base/files/path.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>
#include <sys/syscall.h>

enum { MOST_OWNERS = 4 }; /* number of owners that are named */

static const char guard_prefix[] = "guard variable for ";

/* ---- owners ------------------------------------------------------------------------------ */

static void add_owner(const struct waiter *w, const struct owner *o, struct str *out)
{
	bool elsewhere = run_process_of(o->thread) != run_process_of(w->thread) && !w->wait.shared;
	bool copied = w->gone && (run_thread_lives(o->thread) || elsewhere);

	str_add(out, run_thread_id(o->thread));
	if (o->thread == w->thread)
		str_add(out, " itself");
	if (copied)
		str_add(out, " of the process that was forked");
	if (o->file)
		str_addf(out, " (taken at %s:%u)", str_base_name(o->file), o->line);
	if (!run_thread_lives(o->thread) && !copied)
		str_add(out, ", which has exited");
}

/* Appends ", which worker#2 took at queue.c:12", for objects that may not be used as locks. */
static void add_doers(const struct waiter *w, const char *what, struct str *out)
{
	for (size_t i = 0; i < w->owners.count && i < MOST_OWNERS; i++) {
		const struct owner *o = &w->owners.items[i];

		str_addf(out, "%s %s %s", i ? "," : ", which", run_thread_id(o->thread), what);
		if (o->file) /* else in a library without debug information */
			str_addf(out, " at %s:%u", str_base_name(o->file), o->line);
	}
	if (w->owners.count > MOST_OWNERS)
		str_addf(out, " and %zu more %s", w->owners.count - MOST_OWNERS, what);
}

/* Appends " held by worker#2 (taken at bank.c:31)". */
static void add_owners(const struct waiter *w, struct str *out)
{
	bool once = w->what == WAITING_ONCE || w->what == WAITING_GUARD;
	size_t shown = w->owners.count < MOST_OWNERS ? w->owners.count : MOST_OWNERS;
	unsigned more = w->readers > shown ? w->readers - (unsigned)shown : 0;

	for (size_t i = 0; i < shown; i++) {
		str_add(out, i ? ", " : once ? " run by " : " held by ");
		add_owner(w, &w->owners.items[i], out);
	}
	if (!shown && w->gone)
		str_addf(out, " held by thread %u, which has ended", w->tid);
	if (more)
		str_addf(out, "%s %u %sreader%s", shown ? " and" : " held by", more,
			 shown ? "more " : "", more == 1 ? "" : "s");
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Names locks inside libraries by what they protect. */
static const char *library_lock(const struct waiter *w)
{
	static const char *const functions[] = {"libc_malloc", "libc_free", "malloc", "free"};
	const struct run_process *p = run_process_of(w->thread);
	uint64_t low, high;

	if (w->what != WAITING_MUTEX && w->what != WAITING_GONE)
		return NULL;
	if (run_process_loader(p)) {
		module_span(run_process_loader(p), &low, &high);
		if (w->object >= run_process_loader_base(p) + low &&
		    w->object < run_process_loader_base(p) + high)
			return "the loader's lock";
	}
	if (w->name && strncmp(w->name, guard_prefix, strlen(guard_prefix)) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (kinds_is_in(w, functions[i]))
			return "malloc's lock";
	return NULL;
}

static const char *name_of(const struct waiter *w)
{
	static const char *const streams[][2] = {{"_IO_2_1_stdout_", "stdout"},
						 {"_IO_2_1_stderr_", "stderr"},
						 {"_IO_2_1_stdin_", "stdin"}};
	const char *name = w->name ? w->name : "";

	if (strncmp(name, guard_prefix, strlen(guard_prefix)) == 0)
		name += strlen(guard_prefix);
	for (size_t i = 0; w->what == WAITING_STREAM && i < 3; i++)
		if (strstr(name, streams[i][0]))
			return streams[i][1];
	return name;
}

/* A wait for a condition variable ends only when its mutex is free: " (with
 * mutex m held by main)". */
static void add_mutex(const struct waiter *w, struct str *out)
{
	struct waiter mutex = {.thread = w->thread,
			       .wait = {.shared = w->wait.shared},
			       .what = WAITING_MUTEX,
			       .object = w->mutex_object};

	if (mutex.object)
		waiters_find_owners(w->all, &mutex);
	if (mutex.owners.count || mutex.gone || !w->by_lock) {
		str_addf(out, " (with mutex %s", w->mutex);
		add_owners(&mutex, out);
		str_add(out, ")");
	}
	array_fini(&mutex.owners);
}

static void add_thing(const struct waiter *w, struct str *out)
{
	const char *lock = library_lock(w), *name = name_of(w);

	if (lock) {
		str_add(out, lock);
		return;
	}
	str_addf(out, "%s%s%s", kinds_noun(w->what), *name ? " " : "", name);
	if (w->what == WAITING_READ)
		str_add(out, glibc_is_behind_writer(w) ? " (to read, after a waiting writer)"
						       : " (to read)");
	if (w->what == WAITING_WRITE)
		str_add(out, " (to write)");
	if (w->mutex)
		add_mutex(w, out);
}

static void describe_futex(const struct waiter *w, struct str *out)
{
	if (w->what == WAITING_JOIN) {
		str_addf(out, "joins %s", w->wait.on ? w->wait.on->id : "a thread");
	} else if (w->what == WAITING_GONE && !library_lock(w)) {
		str_addf(out, "waits at %s (a condition variable, semaphore or raw futex)",
			 w->name ? w->name : "a futex");
	} else if (w->what == WAITING_DESTROY) {
		str_add(out, "destroys ");
		add_thing(w, out);
		str_add(out, ", and waits for the threads that wait for it");
	} else {
		str_add(out, w->what == WAITING_BARRIER ? "waits at " : "waits for ");
		add_thing(w, out);
	}
	glibc_state(w, out);
	if (w->what == WAITING_SEMAPHORE)
		add_doers(w, "took", out);
	else if (w->what == WAITING_CONDITION && run_outcome(w->all->run)->livelock)
		str_add(out, ", which no thread can signal"); /* the others go round */
	else if (w->what == WAITING_CONDITION)
		add_doers(w, "could signal", out);
	else if (w->what != WAITING_JOIN && w->what != WAITING_DESTROY)
		add_owners(w, out);
	for (size_t i = 0; w->what == WAITING_DESTROY && i < w->owners.count; i++)
		str_addf(out, "%s%s%s", i ? ", " : " (", run_thread_id(w->owners.items[i].thread),
			 i + 1 == w->owners.count ? ")" : "");
	if (w->timed)
		str_add(out, ", with a time-out");
}

/* ---- children ---------------------------------------------------------------------------- */

/* Returns the first thread of the process if the waiter waits for this process, else NULL. */
static const struct run_thread *first_of(const struct waiter *w, const struct run_process *p)
{
	bool is_meant = w->wait.on_process ? run_process_pid(p) == w->wait.on_process
					   : run_process_parent_pid(p) ==
						     run_process_pid(run_process_of(w->thread));

	run_each_thread(t, run_of(p))
		if (is_meant && run_process_lives(p) && run_process_of(t) == p &&
		    run_thread_lives(t))
			return t;
	return NULL;
}

static void describe_process(const struct run *s, const struct waiter *w, struct waiting *out)
{
	bool one = w->wait.on_process;

	out->kind = WAITING_PROCESS;
	if (tracee_is_vfork(w->block.number))
		str_add(&out->text, "waits for its child of vfork to exec or exit");
	else
		str_addf(&out->text, "waits for %s child process", one ? "the" : "a");
	run_each_process(p, s) {
		const struct run_thread *first = first_of(w, p);

		if (!first)
			continue;
		str_addf(&out->text, "%s%s",
			 out->on.count ? ", "
			 : one	       ? " "
				       : " (",
			 run_thread_id(first));
		*array_add(&out->on) = run_thread_engine(first);
	}
	if (out->on.count && !one)
		str_add(&out->text, ")");
}

/* ---- spinning ---------------------------------------------------------------------------- */

enum { LOOKS_LEAST = 2 }; /* a single sample has no duration */

static bool spins(const struct run *s, const struct run_thread *t, struct spin *out)
{
	return spin_of(s, t, out) && out->samples >= LOOKS_LEAST && out->place.func;
}

/* Makes the call in which the thread spins the reported one. */
static void tell_loop(const struct run *s, struct waiter *w)
{
	struct spin spin;

	if (!spins(s, w->thread, &spin) || !spin.loops)
		return;
	for (size_t i = w->told; i < w->stack.count && !w->loops; i++)
		if (str_same(w->stack.items[i].function, spin.place.func)) {
			w->told = i;
			w->loops = true;
		}
}

/* Describes the most frequent place: the last sample may be from anywhere. */
static void describe_spin(const struct run *s, const struct run_thread *t, struct waiting *out)
{
	bool known = run_outcome(s)->livelock || !run_outcome(s)->limit;
	struct spin spin;

	if (!spins(s, t, &spin))
		return;
	if (out->kind == WAITING_RUNNING) {
		if (!str_same(out->func, spin.place.func))
			str_clear(&out->around);
		out->func = spin.place.func;
		out->file = spin.place.line ? spin.place.file : NULL;
		out->line = spin.place.line;
	}
	out->spins = true;
	str_addf(&out->note, ", %s for %.1f s",
		 spin.sleeps ? "again and again"
		 : known     ? "spinning"
			     : "in the same few functions",
		 spin_seconds(s, spin.since_us));
}

bool waiting_spin_try(const struct run *s, struct str *out)
{
	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);

		if (!w->spins || !w->func)
			continue;
		str_addf(out,
			 w->kind == WAITING_RUNNING
				 ? "find out what should end the loop of %s in %s"
				 : "find out what %s waits for in %s",
			 run_thread_id(t), w->func);
		if (w->file)
			str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
		str_add(out, run_outcome(s)->livelock
				     ? ": it repeats the same steps, so a longer --time-limit "
				       "changes nothing"
				     : "; a longer --time-limit helps only if it is slow");
		return true;
	}
	return false;
}

/* ---- one thread -------------------------------------------------------------------------- */

static void describe_blocked(const struct waiter *w, struct waiting *out)
{
	long number = w->block.number;

	if (w->wait.kind == WAIT_NOT && number && !syscalls_is_for_time(number) &&
	    number != SYS_futex && number != SYS_futex_waitv)
		out->call = number;
	if (w->wait.kind == WAIT_PROCESS) {
		describe_process(w->all->run, w, out);
	} else if (number == SYS_futex) {
		out->kind = w->what ? w->what : WAITING_FUTEX;
		describe_futex(w, &out->text);
	} else {
		syscalls_describe(w, out);
	}
	out->is_deep = w->block.activity == TRACEE_DISK && !tracee_is_vfork(number);
	if (out->is_deep)
		str_add(&out->text, ", which no signal interrupts: the kernel waits for a file "
				    "system or a device");
	str_add(&out->text, kinds_occasion(w));
}

static void describe_held(const struct run *s, struct run_thread *t, struct waiting *w)
{
	const struct place *place = run_thread_hold(t)->place;
	STR(here);

	w->kind = WAITING_GATE;
	w->held = true;
	str_add(&w->text, "is held");
	if (run_thread_hold(t)->gate)
		str_addf(&w->text, " at gate %s", run_thread_hold(t)->gate->name);
	else if (place)
		str_addf(&w->text, " by a %s of the script (%s)", place_holder(place),
			 place_source(place));
	w->object = run_thread_hold(t)->gate ? base_strdup(run_thread_hold(t)->gate->name) : NULL;
	w->file = run_thread_spot(t)->file;
	w->line = run_thread_spot(t)->line;
	w->func = run_thread_spot(t)->func;
	if (w->file)
		str_addf(&here, "%s:%u", str_base_name(w->file), w->line);
	if (place && strcmp(place->location, str_text(&here)) != 0)
		str_addf(&w->note, " (%s)", place->location);
	watchpoints_describe(s, t, &w->note);
}

static void add_place(const struct waiter *w, size_t told, struct waiting *out)
{
	const struct inspect_call *call = &w->stack.items[told];

	if (told >= w->stack.count)
		return;
	out->func = call->function ? call->function : module_name(call->frame.module);
	out->file = call->line ? call->file : NULL;
	out->line = call->line;
}

static void take_owners(const struct waiter *w, struct waiting *out)
{
	out->object = w->name ? base_strdup(w->name) : NULL;
	out->gone = w->gone;
	array_each(const struct owner, o, &w->owners) {
		*array_add(&out->on) = run_thread_engine(o->thread);
		if (o->file && !out->taken_file && w->what != WAITING_CONDITION) {
			out->taken_file = o->file;
			out->taken_line = o->line;
		}
	}
}

void words_describe(struct waiters *all, struct waiter *w)
{
	struct run_thread *t = w->thread;
	struct waiting *out = waiting_of(t);
	enum tracee_activity activity = w->block.activity;

	if (run_thread_is_held(t)) {
		describe_held(all->run, t, out);
		return;
	}
	if (run_thread_is_paused(t)) {
		out->kind = WAITING_GATE;
		str_add(&out->text, run_thread_parked(t) == PARKED_STAYS ? "stays where it was sent"
				    : run_thread_parked(t)		 ? "is held by hand"
									 : "is stopped");
		add_place(w, w->own, out); /* a user may step the thread: the innermost line */
		return;
	}
	tell_loop(all->run, w);
	add_place(w, w->told, out);
	caller_around(w, activity == TRACEE_BLOCKED, &out->around);
	if (activity == TRACEE_BLOCKED || activity == TRACEE_DISK) {
		describe_blocked(w, out);
	} else if (run_thread_tracee(t)->state == TRACEE_GROUP_STOPPED) {
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
		describe_spin(all->run, t, out);
	take_owners(w, out);
}

/* Adds the threads that the first line of the verdict is about. */
void words_record(struct run *s, struct json *j)
{
	json_array(j, "cycle");
	run_each_thread(t, s)
		if (waiting_of(t)->in_cycle)
			json_string(j, NULL, run_thread_id(t));
	json_end_array(j);
}

/* ---- sentences --------------------------------------------------------------------------- */

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
	str_add(out, run_thread_id(t));
	trampoline_describe(t, out);
	str_add(out, " ");
	waiting_says(t, out);
}

void waiting_begin_line(const char *file, unsigned line, struct str *out)
{
	if (file && line)
		str_addf(out, "%s:%u: ", path_shown(file), line);
	else
		str_add(out, "  ");
}
