/* Finds processes that outlive the program's first process and kills,
 * releases or waits for them. */
#include "tracer/run/run.h"
#include "tracer/features/output/output.h"
#include "tracer/features/expect/expect.h"
#include "tracer/run/places/places.h"
#include "tracer/features/leftover/leftover.h"
#include "tracer/features/timeline/timeline.h"

#include "tracer/base/log.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/attach/attach.h"

#include <stdio.h>
#include <string.h>

/* How long to wait for threads that may be about to end, because of the program's
 * end or by themselves. */
enum { MOMENT_US = 1000000 };

/* Per-run data. */
struct leftover {
	struct str names;  /* of the processes, until they are reported */
	const char *how;   /* what happens to them; NULL: not decided */
	uint64_t since_us; /* time of the program's end; 0: it still runs */
};

static void leftover_fini(void *what)
{
	struct leftover *left = what;

	str_fini(&left->names);
}

static const struct keeper keeper = {sizeof(struct leftover), leftover_fini};

static struct leftover *leftover_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

/* Per-place data. */
struct left_behind {
	char *who; /* a process that could still have arrived at the place, or NULL; owned */
};

static void fini_place(void *what)
{
	struct left_behind *left = what;

	base_free(left->who);
}

static const struct keeper place_keeper = {sizeof(struct left_behind), fini_place};

static struct left_behind *left_behind_of(const struct run_place *sp)
{
	return kept_make(run_place_kept(sp), &place_keeper);
}

enum left { LEFT_GONE, LEFT_ENDING, LEFT_AT_REST };

static enum left leftover_look_at(const struct run_thread *t)
{
	struct tracee_block look;

	if (!run_thread_lives(t))
		return LEFT_GONE;
	if (run_thread_is_held(t) || run_thread_parked(t) || run_thread_is_paused(t) ||
	    run_thread_tracee(t)->state == TRACEE_GROUP_STOPPED)
		return LEFT_AT_REST;
	tracee_look(run_thread_tracee(t), &look);
	if (look.activity == TRACEE_DEAD)
		return LEFT_GONE;
	return look.activity == TRACEE_BLOCKED ? LEFT_AT_REST : LEFT_ENDING;
}

/* A process is at rest if all its threads are, zombies excepted. */
static enum left look_at_all(const struct run *s, const struct run_process *p)
{
	enum left all = LEFT_GONE;

	run_each_thread(t, s) {
		enum left one = run_process_of(t) == p ? leftover_look_at(t) : LEFT_GONE;

		if (one == LEFT_ENDING)
			return LEFT_ENDING;
		if (one == LEFT_AT_REST)
			all = LEFT_AT_REST;
	}
	return all;
}

static void read_name(int pid, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(name, (int)size, file))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* Returns false if a process may be about to end. */
static bool all_rest(const struct run *s)
{
	run_each_process(p, s)
		if (run_process_lives(p) && p != run_root(s) && look_at_all(s, p) == LEFT_ENDING)
			return false;
	return true;
}

/* True if the place has a trap in the process and matches one of its threads. */
static bool may_come_to(struct run *s, const struct run_process *p, const struct place *place)
{
	const struct run_place *sp = place->user;
	bool placed = false;

	array_each(const struct placed, there, run_place_placed(sp))
		placed |= there->process == p;
	run_each_thread(t, s)
		if (placed && run_process_of(t) == p && leftover_look_at(t) != LEFT_GONE &&
		    engine_thread_matches(run_engine(s), run_thread_engine(t), place->thread))
			return true;
	return false;
}

/* Records the process for each place at which it could still have arrived. */
static void note_places(struct run *s, const struct run_process *p, const char *name)
{
	const struct place *place;

	for (size_t i = 0; (place = engine_place_at(run_engine(s), i)); i++) {
		struct run_place *sp = place->user;
		struct str who = {0};

		if (!sp || left_behind_of(sp)->who || !may_come_to(s, p, place))
			continue;
		str_addf(&who, "%s (pid %d)", name, run_process_pid(p));
		left_behind_of(sp)->who = str_take(&who);
	}
}

/* Records the names of the processes. Returns their number. */
static size_t leftover_gather(struct run *s)
{
	size_t n = 0;
	char name[32];

	run_each_process(p, s) {
		if (!run_process_lives(p) || p == run_root(s) || look_at_all(s, p) == LEFT_GONE)
			continue;
		read_name(run_process_pid(p), name, sizeof(name));
		str_addf(&leftover_of(s)->names, "%s%s (pid %d)", n++ ? ", " : "", name,
			 run_process_pid(p));
		note_places(s, p, name);
	}
	return n;
}

static bool anybody_held(const struct run *s)
{
	run_each_thread(t, s)
		if (run_thread_lives(t) && run_thread_is_held(t))
			return true;
	return false;
}

static enum run_leftover what_to_do(const struct run *s)
{
	const struct run_options *o = run_options(s);

	if (o->leftover)
		return o->leftover;
	if (o->pid)
		return LEFTOVER_LEAVE;
	return run_plan(s)->expect.any || o->trial || o->record ? LEFTOVER_KILL : LEFTOVER_LEAVE;
}

/* Processes are released only if the run has passed: after another verdict none may be left. */
static bool is_fine(struct run *s)
{
	capture_outcome(s);
	expected_ask(s);
	return run_verdict(s) == VERDICT_OK;
}

/* Decides what happens to the processes, once the program has ended. */
static void see_what_is_left(struct run *s)
{
	enum run_leftover what = what_to_do(s);
	struct leftover *left = leftover_of(s);

	if (!run_root_ended(s) || left->how || run_is_over(s) || run_killed_by(s))
		return;
	if (!left->since_us)
		left->since_us = run_now_us();
	if ((!all_rest(s) && run_now_us() - left->since_us < MOMENT_US) || !leftover_gather(s))
		return;
	if (what == LEFTOVER_WAIT) {
		left->how = "waited for";
		leftover_tell(s, &(struct str){0});
		return;
	}
	if (run_outcome(s)->end == OUTCOME_EXITED && anybody_held(s))
		run_outcome(s)->held_at_end = true;
	if (!run_options(s)->pid && what == LEFTOVER_LEAVE && is_fine(s)) {
		left->how = "let go";
		timeline_end(s);
		run_let_go(s);
	} else {
		left->how = run_options(s)->pid ? "let go" : "ended";
		run_end(s);
	}
}

static void gone(struct run *s, struct run_process *p, int status)
{
	(void)p;
	(void)status;
	see_what_is_left(s);
}

extern const struct observer leftover_observer;
const struct observer leftover_observer = {.process_gone = gone, .tick = see_what_is_left};

bool leftover_try(const struct run *s, const struct place *p, struct str *out)
{
	const struct run_place *sp = p->user;
	const struct leftover *left = leftover_of(s);

	if (!sp || !left_behind_of(sp)->who || !left->how || strcmp(left->how, "ended") != 0)
		return false;
	str_addf(out,
		 "--leftover=wait: %s, which gatectl ended after the program, might have reached "
		 "the place",
		 left_behind_of(sp)->who);
	return true;
}

void leftover_tell(struct run *s, struct str *verdict)
{
	struct leftover *left = leftover_of(s);

	if (!left->names.length || run_options(s)->quiet)
		return;
	if (verdict->length)
		str_addf(verdict, "left behind: %s, %s\n", str_text(&left->names), left->how);
	else
		log_line("gatectl: left behind: %s, %s", str_text(&left->names), left->how);
	str_fini(&left->names);
	left->names = (struct str){0};
}
