/* Source position of a step: the innermost call of the thread that is in the user's code. */
#include "tracer/base/files/path.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/run/threads/threads.h"

#include <string.h>

enum { MOST_CALLS = 32 };

/* False for headers of the system, whose code is compiled into functions of the user. */
static bool describe_is_own(const struct sched_thread *t, const struct inspect_call *call)
{
	return call->file && call->line &&
	       !scheduler_is_runtime(run_process_of(t->thread), call->frame.lookup_pc) &&
	       !(call->frame.module && sanitizers_is(call->frame.module)) &&
	       !path_is_system_source(call->file);
}

const struct inspect_call *describe_own(const struct sched_thread *t,
					const struct inspect_stack *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		if (describe_is_own(t, &calls->items[i]))
			return &calls->items[i];
	return NULL;
}

/* Removes libc's prefixes: "read" for "__libc_read" or "__GI___read". */
static const char *plain(const char *name)
{
	static const char *const prefixes[] = {"__GI_", "__libc_", "_"};

	for (size_t i = 0; name && i < sizeof(prefixes) / sizeof(*prefixes); i++)
		while (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	return name;
}

/* Returns the offset of the instruction. If a call was made, `lookup_pc` is the last byte of the
   call instruction. */
static uint64_t statement_of(const struct inspect_call *own, bool is_call)
{
	static const unsigned lengths[] = {5, 6, 2, 3, 7, 4, 8};
	uint64_t behind = own->frame.lookup_pc - own->frame.bias + 1;

	for (size_t i = 0; is_call && i < sizeof(lengths) / sizeof(*lengths); i++) {
		uint64_t at = behind - lengths[i];
		uint8_t bytes[ARCH_INSN_MAX];
		struct arch_insn insn;
		size_t n = module_bytes(own->frame.module, at, bytes, sizeof(bytes));

		if (arch_decode(bytes, n, at, &insn) == 0 && insn.length == lengths[i] &&
		    (insn.flow == ARCH_FLOW_CALL || insn.flow == ARCH_FLOW_CALL_INDIRECT))
			return at;
	}
	return behind - 1;
}

/* Names the instruction after the system call that the thread waited in, where the thread goes
   on; no statement of the user's code begins there. */
static void name_inner(struct scheduler *c, const struct inspect_call *inner,
		       struct schedule_where *where)
{
	if (!inner->frame.module)
		return;
	where->object = schedule_text(&c->given->schedule, module_name(inner->frame.module));
	where->address = inner->frame.lookup_pc - inner->frame.bias;
	where->inside = true;
}

static bool is_access(enum strategy_op op)
{
	return op == STRATEGY_READ || op == STRATEGY_WRITE || op == STRATEGY_ATOMIC;
}

/* Names the instruction of an access in library code, such as a template instance. */
static void name_access(struct scheduler *c, const struct inspect_call *inner,
			struct schedule_where *where)
{
	uint64_t at = inner->frame.lookup_pc - inner->frame.bias;

	if (!inner->frame.module || at == where->address)
		return;
	where->inner_object = schedule_text(&c->given->schedule, module_name(inner->frame.module));
	where->inner = at;
}

/* Names the innermost header code between the user's code and the called function. */
static void name_header(struct scheduler *c, const struct inspect_stack *calls,
			const struct inspect_call *own, struct schedule_where *where)
{
	struct schedule *s = &c->given->schedule;

	for (const struct inspect_call *call = calls->items; call < own; call++) {
		if (!call->file || !call->line || call->frame.module != own->frame.module)
			continue;
		where->header = (struct schedule_place){
			.file = schedule_text(s, call->file),
			.line = call->line,
			.func = schedule_text(s, call->function),
			.address = statement_of(call, call > calls->items),
		};
		return;
	}
}

/* Returns the first object of a function with several, such as the condition of a wait, or 0 if
   the point has no object. */
static uint64_t object_of(const struct sched_thread *t)
{
	if (t->point.object == STRATEGY_ANY_OBJECT)
		return t->function ? t->objects[0] : 0;
	return t->point.object == STRATEGY_NO_OBJECT ? 0 : t->point.object;
}

/* Returns the index of the call in the user's code that chose the object: `own`, or a caller that
   passes it as an argument. */
static size_t choice(const struct sched_thread *t, const struct inspect_stack *calls, size_t own)
{
	size_t by = own;

	while (by < calls->count && race_is_passed(&calls->items[by], object_of(t))) {
		size_t at = by + 1;

		while (at < calls->count && !describe_is_own(t, &calls->items[at]))
			at++;
		if (at == calls->count)
			break;
		by = at;
	}
	return by;
}

/* Returns the debug information's name of the point's object, or NULL. The schedule owns it. */
static const char *name_object(struct scheduler *c, struct sched_thread *t,
			       const struct inspect_stack *calls, const struct inspect_call *own)
{
	uint64_t object = object_of(t);
	const struct type *type;
	STR(name);
	size_t at = own ? (size_t)(own - calls->items) : calls->count;

	if (!(t->known & POINT_NAMED)) {
		t->name = NULL;
		if (object && (race_name(t, calls, choice(t, calls, at), object, &name, &type) ||
			       race_name(t, calls, at, object, &name, &type)))
			t->name = schedule_text(&c->given->schedule, str_text(&name));
	}
	t->known |= POINT_NAMED;
	return t->name;
}

/* Names the call that passes the object on. */
static void name_caller(struct scheduler *c, const struct sched_thread *t,
			const struct inspect_stack *calls, const struct inspect_call *own,
			struct schedule_where *where)
{
	struct schedule *s = &c->given->schedule;
	const struct inspect_call *by, *called;

	if (!object_of(t) || is_access(t->point.op))
		return;
	by = &calls->items[choice(t, calls, (size_t)(own - calls->items))];
	if (by == own || !by->frame.module)
		return;
	for (called = by - 1; called > own && called->inlined;)
		called--;
	where->caller = (struct schedule_place){
		.file = schedule_text(s, by->file),
		.line = by->line,
		.func = schedule_text(s, by->function),
		.call = called->inlined ? where->call
					: schedule_text(s, plain(inspect_call_named(called))),
		.object = schedule_text(s, module_name(by->frame.module)),
		.address = statement_of(by, true),
	};
}

static void describe_look(struct scheduler *c, struct sched_thread *t, struct schedule_where *where)
{
	struct schedule *s = &c->given->schedule;
	struct inspect_stack calls = {0};
	const struct inspect_call *own;

	if (t->point.op == STRATEGY_START || calls_read(t->thread, 0, MOST_CALLS, &calls) < 0)
		return;
	own = describe_own(t, &calls);
	if (own) {
		const struct inspect_call *inner = own > calls.items ? own - 1 : NULL;

		*where = (struct schedule_where){
			.file = schedule_text(s, own->file),
			.line = own->line,
			.func = schedule_text(s, own->function),
			.call = schedule_text(s, t->function ? t->function
						 : inner     ? plain(inspect_call_named(inner))
							     : NULL),
			.object = own->frame.module
					  ? schedule_text(s, module_name(own->frame.module))
					  : NULL,
			.address = own->frame.module ? statement_of(own, inner != NULL)
						     : own->frame.lookup_pc - own->frame.bias};
	}
	if (own) {
		where->var = name_object(c, t, &calls, own);
		name_caller(c, t, &calls, own, where);
	}
	if (own > calls.items && is_access(t->point.op))
		name_access(c, &calls.items[0], where);
	if (own && own->frame.module && t->point.op == STRATEGY_WAIT)
		name_header(c, &calls, own, where);
	if (own && (t->next == NEXT_ANSWERS || t->next == NEXT_RETURNS))
		name_inner(c, &calls.items[0], where);
	inspect_stack_fini(&calls);
}

/* The place at which a wait goes on that no other thread ends. */
static struct schedule_where ends_wait(struct scheduler *c, struct sched_thread *t)
{
	struct schedule_where where = t->where;
	struct inspect_stack calls = {0};

	if (t->state != THREAD_FUTEX || calls_read(t->thread, 0, MOST_CALLS, &calls) < 0)
		return where;
	if (describe_own(t, &calls) > calls.items)
		name_inner(c, &calls.items[0], &where);
	inspect_stack_fini(&calls);
	return where;
}

struct schedule_where describe(struct scheduler *c, struct sched_thread *t, enum strategy_op op)
{
	if (!(t->known & POINT_DESCRIBED)) {
		t->where = (struct schedule_where){0};
		describe_look(c, t, &t->where);
	}
	t->known |= POINT_DESCRIBED;
	return op == STRATEGY_TIMEOUT || op == STRATEGY_SPURIOUS ? ends_wait(c, t) : t->where;
}

/* ---- while the strategy chooses ---------------------------------------------------------- */

static struct sched_thread *thread_at_point(const struct scheduler *c,
					    const struct strategy_point *point)
{
	for (size_t i = 0; c && i < c->points.count; i++)
		if (c->points.items[i].thread == point->thread)
			return c->at.items[i];
	return NULL;
}

void sched_describe(struct sched *given, const struct strategy_point *point,
		    struct schedule_where *where)
{
	struct sched_thread *t = thread_at_point(given->now, point);

	if (t)
		*where = describe(given->now, t, point->op);
}

const char *sched_thread_id(struct sched *given, const struct strategy_point *point)
{
	const struct sched_thread *t = thread_at_point(given->now, point);

	return t ? given->schedule.threads.items[t->listed] : NULL;
}

const char *sched_name(struct sched *given, const struct strategy_point *point)
{
	struct sched_thread *t = thread_at_point(given->now, point);

	struct inspect_stack calls = {0};

	if (!t)
		return NULL;
	if (!(t->known & POINT_NAMED) && calls_read(t->thread, 0, MOST_CALLS, &calls) == 0)
		name_object(given->now, t, &calls, describe_own(t, &calls));
	inspect_stack_fini(&calls);
	return t->name;
}
