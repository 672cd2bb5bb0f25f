/*
 * clang gives all rounds of a loop that it unrolls one row. How often a statement that calls is executed in it is known all the
 * same: by the calls that stand there, and by how often the statement's text makes each of them.
 */
#include "tracer/elf/module.h"
#include "tracer/source/flow/flow.h"
#include "tracer/source/copies/copy.h"

#include <string.h>

/* A call in the row, and where what comes of it has been used: there the next round may begin. */
struct round_call {
	uint64_t function; /* where that begins, here or in the module's table of stubs */
	uint64_t used;
	unsigned written; /* so often the text calls it */
	bool joined;	  /* others come in there */
};

struct round_calls {
	struct round_call *items;
	size_t count, capacity;
};

struct slot_name {
	uint64_t slot;
	const char *name;
};

static bool name_of_slot(void *ctx, const struct module_relocation *r)
{
	struct slot_name *s = ctx;

	if (r->offset != s->slot)
		return false;
	s->name = r->symbol;
	return true;
}

/* Of the function that the call leads to, without what it is a member of; NULL: it cannot be told. */
static const char *name_called(struct module *m, uint64_t address, const struct arch_insn *call)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct slot_name stub = {call_slot(m, address, call), NULL};
	struct scope_ref at;
	const char *name;

	if (stub.slot) {
		module_each_relocation(m, name_of_slot, &stub);
		return stub.name;
	}
	if (!t || dies_function_at(t, call->target, &at, &ignored) < 0 || !at.scope ||
	    scope_entry(at) != call->target || function_short_name(t, at, &name, &ignored) < 0)
		return NULL;
	return name;
}

/* Code of no line among the line's own was moved there, or stands behind it. */
static bool is_of_no_line(const struct copy_work *w, uint64_t offset)
{
	return flow_in_ranges(&w->c->lineless, offset);
}

/* What stands behind the last call belongs to its round as long as it takes the result, writes memory, or may leave the line. */
static bool ends_round(const struct arch_insn *in, const struct arch_deed *deed)
{
	return deed->takes_result || deed->written || in->flow == ARCH_FLOW_BRANCH;
}

static bool is_call(const struct copy_work *w, const struct arch_insn *in)
{
	return in->flow == ARCH_FLOW_CALL ||
	       (in->flow == ARCH_FLOW_JUMP && !flow_in_ranges(&w->function, in->target));
}

/* False: control may go elsewhere in the line. */
static bool goes_on_in_round(const struct copy_work *w, const struct arch_insn *in)
{
	return in->flow == ARCH_FLOW_NEXT || in->flow == ARCH_FLOW_CALL ||
	       (in->flow == ARCH_FLOW_BRANCH &&
		(!flow_in_ranges(&w->own, in->target) || is_of_no_line(w, in->target)));
}

/* So often the text makes the call; 0: it does not, or nobody knows where it leads. */
static unsigned times_written(const struct copy_work *w, uint64_t at, const struct arch_insn *call)
{
	const char *name = is_of_no_line(w, at) ? NULL : name_called(w->c->module, at, call);

	return name ? source_calls_of(w->text, w->line, name) : 0;
}

/*
 * The calls from `start` on, as long as control passes all of them or leaves the line; where it comes back, or in, the next
 * round may begin. False: one of them may be no round's.
 */
static bool take_calls(const struct copy_work *w, uint64_t start, struct round_calls *out)
{
	struct arch_insn in;

	for (uint64_t at = start; flow_in_ranges(&w->own, at); at += in.length) {
		struct round_call *last = out->count ? &out->items[out->count - 1] : NULL;
		struct arch_deed deed;

		if (!flow_decode(w->c->module, at, &in, &deed) ||
		    in.flow == ARCH_FLOW_CALL_INDIRECT)
			return false;
		if (at != start && flow_is_jumped_to(w->flow, at)) {
			if (!last)
				return false;
			last->used = at;
			last->joined = true;
		}
		if (is_call(w, &in))
			*array_add(out) = (struct round_call){.function = in.target,
							      .used = at + in.length,
							      .written = times_written(w, at, &in)};
		else if (last && ends_round(&in, &deed))
			last->used = at + in.length;
		if (out->count && !out->items[out->count - 1].written)
			return false;
		if (!goes_on_in_round(w, &in))
			break;
	}
	return true;
}

/* How many calls are a round: as many as the text makes. 0: they are not a number of rounds, all alike. */
static size_t calls_in_round(const struct round_calls *calls)
{
	size_t n = 0;

	for (size_t i = 0; i < calls->count; i++) {
		bool is_new = true;

		for (size_t k = 0; k < i; k++)
			is_new = is_new && calls->items[k].function != calls->items[i].function;
		n += is_new ? calls->items[i].written : 0;
	}
	if (!n || calls->count % n)
		return 0;
	for (size_t i = 0; i < calls->count; i++)
		if (calls->items[i].function != calls->items[i % n].function ||
		    (calls->items[i].joined && (i + 1) % n))
			return 0;
	return n;
}

static void split_at(struct copy_work *w, uint64_t start)
{
	struct round_calls calls = {0};
	size_t n = take_calls(w, start, &calls) ? calls_in_round(&calls) : 0;

	for (size_t i = n; n && i < calls.count; i += n) {
		*array_add(&w->starts) = calls.items[i - 1].used;
		w->facts |= COPY_UNROLLED;
	}
	array_fini(&calls);
}

void starts_of_rounds(struct copy_work *w)
{
	uint64_t end = w->own.items[w->own.count - 1].high;
	size_t count = w->starts.count;

	if (!w->text || w->line > w->text->lines.count)
		return;
	for (size_t i = 0; i < count; i++)
		if (flow_calls(w->flow, w->starts.items[i], end) > 1 && !copy_has_no_loop(w))
			split_at(w, w->starts.items[i]);
	array_sort(&w->starts, flow_by_offset);
}
