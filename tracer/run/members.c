/* Accessors of runs, processes, threads and places for other folders. */
#include "tracer/run/run_internal.h"
#include "tracer/tracee/threads/threads.h"

/* A function that returns a member, or its address. */
#define MEMBER(type, function, of, member)                                                         \
	type function(const struct of *it)                                                         \
	{                                                                                          \
		return it->member;                                                                 \
	}
#define MEMBER_AT(type, function, of, member)                                                      \
	type *function(const struct of *it)                                                        \
	{                                                                                          \
		return (type *)&it->member;                                                        \
	}

/* A function that sets a member, and one that sets a flag. */
#define MEMBER_SET(type, function, of, member)                                                     \
	void function(struct of *it, type value)                                                   \
	{                                                                                          \
		it->member = value;                                                                \
	}
#define MEMBER_ON(function, of, member)                                                            \
	void function(struct of *it)                                                               \
	{                                                                                          \
		it->member = true;                                                                 \
	}

/* ---- a run ----------------------------------------------------------------------------------- */

MEMBER(const struct run_options *, run_options, run, options)
MEMBER(unsigned long, run_number, run, run_number)
MEMBER(struct modules *, run_symbols, run, symbols)
MEMBER(struct tracee *, run_tracee, run, tracee)
MEMBER(struct engine *, run_engine, run, engine)
MEMBER(struct script *, run_scripts, run, script)
MEMBER_AT(struct plan, run_plan, run, plan)
MEMBER(double, run_gate_limit, run, gate_limit)
MEMBER(double, run_time_limit, run, time_limit)
MEMBER_AT(const struct kept_list, run_kept, run, kept)
MEMBER(struct convert_record *, run_record, run, record)
MEMBER(struct run_process *, run_root, run, root)
MEMBER(uint64_t, run_start_us, run, start_us)
MEMBER(bool, run_is_settled, run, loading.root_settled)
MEMBER(bool, run_has_places, run, loading.has_places)
MEMBER(bool, run_has_untraced_children, run, untraced_children)
MEMBER(unsigned long, run_turns, run, turns)
MEMBER(unsigned, run_tick_ms, run, tick_ms)
MEMBER_AT(struct outcome, run_outcome, run, outcome)
MEMBER_AT(struct error, run_error, run, fault)
MEMBER(bool, run_is_over, run, over)
MEMBER(bool, run_root_ended, run, root_ended)
MEMBER(int, run_interrupted, run, interrupted)
MEMBER(int, run_killed_by, run, killed_by)
MEMBER(struct run_thread *, run_culprit, run, culprit)
MEMBER(bool, run_is_explained, run, explained)
MEMBER(bool, run_is_attended, run, control.attended)
MEMBER(bool, run_is_halted, run, control.halted)
MEMBER(bool, run_is_driven, run, control.driven)
MEMBER(const struct run_thread *, run_goes_last, run, goes_last)
MEMBER(struct run_thread *, run_asker, run, asker)
MEMBER(bool, run_has_events, run, events)
MEMBER(enum waits_answer, run_rest, run, rest)
MEMBER_SET(bool, run_set_explained, run, explained)
MEMBER_ON(run_more_follow, run, counts_late)
MEMBER_SET(struct convert_record *, run_set_record, run, record)
MEMBER_SET(int, run_set_interrupted, run, interrupted)
MEMBER_ON(run_expect_places, run, loading.has_places)
MEMBER_ON(run_expect_loads, run, loading.loads_matter)
MEMBER_ON(run_attend, run, control.attended)
MEMBER_SET(bool, run_set_halted, run, control.halted)
MEMBER_SET(bool, run_set_driven, run, control.driven)
MEMBER_SET(bool, run_set_polls, run, looks)

uint64_t run_elapsed_us(const struct run *s)
{
	return run_now_us() - s->start_us;
}

const char *run_unreadable(const struct run *s, size_t i)
{
	return i < s->unread.count ? s->unread.items[i] : NULL;
}

double run_held_max_ms(const struct run *s, const struct gate *g)
{
	return g->index < s->held_max.count ? s->held_max.items[g->index] : 0;
}

struct run_thread *run_set_asker(struct run *s, struct run_thread *t)
{
	struct run_thread *before = s->asker;

	s->asker = t;
	return before;
}

/* ---- processes ------------------------------------------------------------------------------- */

MEMBER(struct run *, run_of, run_process, run)
MEMBER_AT(const struct kept_list, run_process_kept, run_process, kept)
MEMBER(struct tracee_process *, run_process_tracee, run_process, tracee)
MEMBER(bool, run_process_lives, run_process, tracee)
MEMBER(int, run_process_pid, run_process, pid)
MEMBER(int, run_process_parent_pid, run_process, parent_pid)
MEMBER(const char *, run_process_prefix, run_process, prefix)
MEMBER_AT(const struct dwarf_program, run_process_program, run_process, program)
MEMBER_AT(const struct module_list, run_process_images, run_process, images)
MEMBER(struct module *, run_process_exe, run_process, exe)
MEMBER(struct module *, run_process_loader, run_process, loader)
MEMBER(uint64_t, run_process_loader_base, run_process, loader_base)
MEMBER_ON(run_process_set_sanitized, run_process, sanitized)

struct run_process *run_process_next(const struct run *s, const struct run_process *p)
{
	size_t i = p ? p->index + 1 : 0;

	return i < s->processes.count ? s->processes.items[i] : NULL;
}

const char *run_process_lost(const struct run_process *p)
{
	return p->lost_held.count ? p->lost_held.items[0] : NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

MEMBER(size_t, run_thread_count, run, threads.count)
MEMBER(size_t, run_thread_index, run_thread, index)
MEMBER(const char *, run_thread_id, run_thread, engine->id)
MEMBER(struct engine_thread *, run_thread_engine, run_thread, engine)
MEMBER(struct run_process *, run_process_of, run_thread, process)
MEMBER_AT(const struct kept_list, run_thread_kept, run_thread, kept)
MEMBER(struct tracee_thread *, run_thread_tracee, run_thread, tracee)
MEMBER(bool, run_thread_lives, run_thread, tracee)
MEMBER(const char *, run_thread_name, run_thread, comm)
MEMBER(const char *, run_thread_state, run_thread, state)
MEMBER(uint64_t, run_thread_block, run_thread, scheduler_block)
MEMBER(bool, run_thread_is_held, run_thread, engine->held)
MEMBER_AT(const struct engine_hold, run_thread_hold, run_thread, hold)
MEMBER_AT(const struct arrival_spot, run_thread_spot, run_thread, spot)
MEMBER(enum source_site_kind, run_thread_stands_at, run_thread, at_return)
MEMBER(bool, run_thread_crashes, run_thread, crashes)
MEMBER(enum run_parked, run_thread_parked, run_thread, parked)
MEMBER(bool, run_thread_is_paused, run_thread, paused)
MEMBER_SET(bool, run_thread_set_crashes, run_thread, crashes)
MEMBER_SET(enum run_parked, run_thread_park, run_thread, parked)
MEMBER_ON(run_thread_pause, run_thread, paused)
MEMBER_SET(uint64_t, run_thread_sent, run_thread, sent_scope)

struct run_thread *run_thread_at(const struct run *s, size_t index)
{
	return index < s->threads.count ? s->threads.items[index] : NULL;
}

struct run_thread *run_thread_next(const struct run *s, const struct run_thread *t)
{
	return run_thread_at(s, t ? t->index + 1 : 0);
}

bool run_thread_is_first(const struct run_thread *t)
{
	return t->engine->tid == t->process->pid;
}

int run_thread_read(const struct run_thread *t, uint64_t address, void *out, size_t n)
{
	return tracee_read(t->process->tracee, address, out, n);
}

int run_thread_write(const struct run_thread *t, uint64_t address, const void *bytes, size_t n)
{
	return tracee_write(t->process->tracee, address, bytes, n);
}

bool run_thread_is_lost(const struct run_thread *t)
{
	return t->lost && t->process->lost_held.count;
}

void run_thread_set_spot(struct run_thread *t, const struct arrival_spot *spot)
{
	t->spot = *spot;
}

/* ---- places ---------------------------------------------------------------------------------- */

MEMBER_AT(const struct kept_list, run_place_kept, run_place, kept)
MEMBER_AT(const struct location, run_place_location, run_place, location)
MEMBER(size_t, run_place_sites, run_place, sites)
MEMBER_AT(const struct sites_list, run_place_results, run_place, results)
MEMBER_AT(const struct placed_list, run_place_placed, run_place, placed)
MEMBER(bool, run_place_ended, run_place, ended)

bool run_place_lacks_object(const struct run_place *p)
{
	return p->located && !p->found && p->location.object;
}

const char *run_place_nearest(const struct run_place *p)
{
	return p->found ? NULL : p->nearest;
}

void run_place_add_result(struct run_place *p, struct source_sites *sites)
{
	*array_add(&p->results) = sites;
}
