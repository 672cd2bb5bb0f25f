/* `after = true`: an arrival when the statement has been executed. At its begin its frame
 * is recorded; when control leaves its code in that frame, it has been executed.
 * README.md gives the cases. */
#include "tracer/features/statement/begun.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/run.h"

enum { STATEMENT, CALL };

static const struct site_owner begins, ends, passed_through;

/* Frames left without a trap stay until their address is used again. */
enum { MOST_FRAMES = 4096 };

static void completion_fini(void *what)
{
	struct begun *begun = what;

	array_fini(&begun->frames);
	array_fini(&begun->elisions);
}

static const struct keeper keeper = {sizeof(struct begun), completion_fini};

struct begun *begun_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &keeper);
}

static bool completion_same(const struct completion_frame *f, const struct act *a, uint64_t frame)
{
	return f->frame == frame && f->place == a->place && f->info == a->info &&
	       f->bias == a->bias;
}

static void completion_begin(struct run_thread *t, const struct act *a, uint64_t frame)
{
	struct begun *begun = begun_of(t);

	array_each(const struct completion_frame, f, &begun->frames) {
		if (completion_same(f, a, frame))
			return; /* left without passing an exit, and begun again */
		if (f->doubted && f->place == a->place && f->frame == frame)
			return; /* cleanup code of the statement, run by an exception */
	}
	if (begun->frames.count == MOST_FRAMES)
		array_remove(&begun->frames, 0);
	*array_add(&begun->frames) = (struct completion_frame){a->place, a->info, a->bias, frame,
							       .call = a->what == CALL};
}

static bool completion_end(struct run_thread *t, const struct act *a, uint64_t frame)
{
	struct begun *begun = begun_of(t);

	for (size_t i = begun->frames.count; i-- > 0;) {
		if (!completion_same(&begun->frames.items[i], a, frame))
			continue;
		if (begun->frames.items[i].doubted)
			return false;
		array_remove(&begun->frames, i);
		return true;
	}
	return false;
}

/* At the first instruction of a function the return address is at the stack pointer. */
static void begin_call(struct run *s, struct run_thread *t, const struct act *a, uint64_t sp)
{
	struct act act = *a;
	ERROR(err);
	uint64_t address;

	if (run_thread_read(t, sp, &address, sizeof(address)) < 0)
		return;
	completion_begin(t, a, sp + sizeof(address));
	act.owner = &ends;
	if (sites_put(s, run_process_of(t), run_thread_tracee(t), address, &act, &err) < 0)
		run_fault(s, &err);
}

/* A return has just popped its address, which is still in the word below the stack pointer. After a
 * jump to this address (from a landing pad) another call has overwritten that word. */
static bool has_returned(struct run_thread *t, uint64_t address, uint64_t sp)
{
	uint64_t word;

	return run_thread_read(t, sp - sizeof(word), &word, sizeof(word)) == 0 && word == address;
}

enum way_on { LEAVES, GOES_ON_INSIDE, CALLS_AS_LAST };

static uint64_t function_of(const struct act *a, uint64_t offset)
{
	struct source_symbolised where;
	uint64_t start = 0;

	if (source_symbolise(a->info->module, offset, false, &where)) {
		start = where.start;
		source_symbolised_fini(&where);
	}
	return start;
}

/* A jump inside the statement's code may be of a jump table. A jump out of the function is a tail
 * call, which belongs to the statement: its return is the function's own. */
static enum way_on way_on(const struct act *a, const struct hit *h)
{
	uint64_t to;

	if (!sites_inside(a->info, h->address - a->bias) ||
	    !images_jump(run_process_tracee(run_process_of(h->thread)), h->address, &h->regs, &to))
		return LEAVES;
	if (sites_inside(a->info, to - a->bias))
		return GOES_ON_INSIDE;
	return function_of(a, to - a->bias) == function_of(a, h->address - a->bias) ? LEAVES
										    : CALLS_AS_LAST;
}

/* The stack is as at the first instruction of the called function; the statement ends
 * at its return address. */
static void call_as_last(struct run *s, const struct act *a, const struct hit *h)
{
	struct act call = *a;

	call.what = CALL;
	begin_call(s, h->thread, &call, h->regs.dwarf[ARCH_DWARF_SP]);
}

/* True if the site's instruction is not part of the statement, but leads to it. */
static bool leads_there(const struct source_site *info)
{
	return info->kind == SOURCE_JUMP || info->kind == SOURCE_BEFORE;
}

/* True if the statement's first instruction is the jump or return that leaves it. */
static bool ends_at_once(const struct act *a, uint64_t address)
{
	array_each(const uint64_t, exit, &a->info->exits)
		if (*exit == address - a->bias)
			return true;
	return false;
}

/* A copy of a function that begins again in its frame is the next call; the
 * previous call has ended. */
static enum hit_answer begin_statement(struct run_thread *t, const struct act *a, uint64_t frame)
{
	bool again = a->info->inlined_into && a->info->kind != SOURCE_STATEMENT &&
		     completion_end(t, a, frame);

	completion_begin(t, a, frame);
	return again ? HIT_ARRIVAL : HIT_SEEN;
}

static enum hit_answer hit_begin(struct run *s, const struct act *a, const struct hit *h)
{
	enum way_on way = LEAVES;
	bool at_once;

	left_lands(s, h);
	if (a->what == CALL) {
		begin_call(s, h->thread, a, h->regs.dwarf[ARCH_DWARF_SP]);
		return HIT_SEEN;
	}
	if (!sites_arrives(a, h))
		return HIT_SEEN;
	at_once = !leads_there(a->info) && ends_at_once(a, h->address);
	if (at_once)
		way = way_on(a, h);
	if (at_once && way == LEAVES)
		return HIT_ARRIVAL;
	if (way != CALLS_AS_LAST)
		return begin_statement(h->thread, a, sites_frame(a, h->address, &h->regs));
	call_as_last(s, a, h);
	return HIT_SEEN;
}

static enum hit_answer end_statement(struct run *s, const struct act *a, const struct hit *h)
{
	enum way_on way = way_on(a, h);

	if (way == GOES_ON_INSIDE ||
	    !completion_end(h->thread, a, sites_frame(a, h->address, &h->regs)))
		return HIT_SEEN;
	if (way == LEAVES)
		return HIT_ARRIVAL;
	call_as_last(s, a, h);
	return HIT_SEEN;
}

static enum hit_answer hit_end(struct run *s, const struct act *a, const struct hit *h)
{
	uint64_t sp = h->regs.dwarf[ARCH_DWARF_SP];

	left_lands(s, h);
	if (a->what != CALL)
		return end_statement(s, a, h);
	return has_returned(h->thread, h->address, sp) && completion_end(h->thread, a, sp)
		       ? HIT_ARRIVAL
		       : HIT_SEEN;
}

static enum hit_answer hit_passed(struct run *s, const struct act *a, const struct hit *h)
{
	(void)s;
	(void)a;
	(void)h;
	return HIT_ARRIVAL;
}

static const struct site_owner passed_through = {
	.ends = true,
	.once = true,
	.arrives = true,
	.no_registers = true,
	.hit = hit_passed,
};
static const struct site_owner begins = {.hit = hit_begin};
static const struct site_owner ends = {.ends = true, .hit = hit_end};

/* ---- traps of a place -------------------------------------------------------------------- */

/* `after` a function means that the call has returned: the trap at its first instruction
 * finds the return address. */
static int put_call(struct run *s, struct run_process *p, struct tracee_thread *t, struct act act,
		    struct error *err)
{
	struct source_symbolised where;
	uint64_t start = act.info->offset;

	if (source_symbolise(act.info->module, start, false, &where)) {
		start = where.start ? where.start : start;
		source_symbolised_fini(&where);
	}
	act.owner = &begins;
	act.what = CALL;
	return sites_put(s, p, t, act.bias + start, &act, err);
}

static int put_exits(struct run *s, struct run_process *p, struct tracee_thread *t, struct act act,
		     const struct site_owner *owner, struct error *err)
{
	act.owner = owner;
	array_each(const uint64_t, exit, &act.info->exits)
		if (sites_put(s, p, t, act.bias + *exit, &act, err) < 0)
			return -1;
	return 0;
}

static int put_statement(struct run *s, struct run_process *p, struct tracee_thread *t,
			 struct act act, struct error *err)
{
	uint64_t start = act.bias + act.info->offset;

	if (act.info->empty)
		return sites_put(s, p, t, start, &act, err);
	act.owner = &begins;
	return sites_put(s, p, t, start, &act, err) < 0 ? -1 : put_exits(s, p, t, act, &ends, err);
}

static bool completion_is_function(const struct source_site *info)
{
	return info->kind == SOURCE_ENTRY && !info->inlined_into;
}

static bool completion_wants(const struct place *place, const struct source_site *info)
{
	return place->after && info->kind != SOURCE_RETURN && info->kind != SOURCE_TAIL;
}

static int completion_put(struct run *s, struct run_process *p, struct tracee_thread *t,
			  struct act act, struct error *err)
{
	if (act.info->closed && !completion_is_function(act.info))
		return put_exits(s, p, t, act, &passed_through, err);
	if (left_watch(s, p, t, act.place, err) < 0)
		return -1;
	return completion_is_function(act.info) ? put_call(s, p, t, act, err)
						: put_statement(s, p, t, act, err);
}

extern const struct site_placer completion_placer;
const struct site_placer completion_placer = {completion_wants, completion_put};

static void completion_forget(struct run *s, struct run_thread *t, bool is_first)
{
	(void)s;
	(void)is_first;
	begun_of(t)->frames.count = 0;
	begun_of(t)->elisions.count = 0;
	spurious_forget(t);
}

/* A forked child continues inside the statements that its parent has begun. */
static void inherit(struct run *s, struct run_thread *t, struct run_process *child)
{
	struct begun *begun;

	(void)s;
	if (!child || !begun_of(t)->frames.count)
		return;
	begun = kept_make(run_process_kept(child), &keeper);
	array_each(const struct completion_frame, f, &begun_of(t)->frames)
		*array_add(&begun->frames) = *f;
}

static void take_over(struct run *s, struct run_thread *t)
{
	struct begun *begun = kept_of(run_process_kept(run_process_of(t)), &keeper);

	(void)s;
	if (!begun)
		return;
	array_each(const struct completion_frame, f, &begun->frames)
		*array_add(&begun_of(t)->frames) = *f;
	begun->frames.count = 0;
}

extern const struct observer statement_observer;
const struct observer statement_observer = {
	.launch = elide_launch,
	.fork = inherit,
	.thread_new = take_over,
	.exec = completion_forget,
	.busy = elide_busy,
	.decision = elide_decided,
};
