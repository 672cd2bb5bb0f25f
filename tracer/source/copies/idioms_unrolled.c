/* Iterations of a loop that clang unrolled into one row, told apart by their calls: the calls in
   the code are compared with those in the statement's text. */
#include "tracer/elf/module.h"
#include "tracer/source/flow/flow.h"
#include "tracer/source/copies/copy.h"

#include <string.h>

/* A call in the row. `used`: offset after the use of its result, where the
   next iteration may begin. */
struct round_call {
	uint64_t function; /* offset of the function, here or in the PLT */
	uint64_t used;
	unsigned written; /* number of calls of it in the text */
	bool joined;	  /* a jump leads to `used` */
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

/* Returns the name of the called function, without classes and namespaces, or NULL if unknown. */
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

/* True for code of line 0 among the line's own: code that was moved there, or code after it. */
static bool is_of_no_line(const struct copy_work *w, uint64_t offset)
{
	return flow_in_ranges(&w->c->lineless, offset);
}

/* True if the instruction after the last call belongs to its iteration: uses the result, writes
   memory, or may leave the line. */
static bool ends_round(const struct arch_insn *in, const struct arch_deed *deed)
{
	return deed->takes_result || deed->written || in->flow == ARCH_FLOW_BRANCH;
}

static bool is_call(const struct copy_work *w, const struct arch_insn *in)
{
	return in->flow == ARCH_FLOW_CALL ||
	       (in->flow == ARCH_FLOW_JUMP && !flow_in_ranges(&w->function, in->target));
}

/* Returns false if control may continue elsewhere in the line. */
static bool goes_on_in_round(const struct copy_work *w, const struct arch_insn *in)
{
	return in->flow == ARCH_FLOW_NEXT || in->flow == ARCH_FLOW_CALL ||
	       (in->flow == ARCH_FLOW_BRANCH &&
		(!flow_in_ranges(&w->own, in->target) || is_of_no_line(w, in->target)));
}

/* Returns the number of calls in the text, or 0 if there is none or the function is unknown. */
static unsigned times_written(const struct copy_work *w, uint64_t at, const struct arch_insn *call)
{
	const char *name = is_of_no_line(w, at) ? NULL : name_called(w->c->module, at, call);

	return name ? source_calls_of(w->text, w->line, name) : 0;
}

/*
 * Collects the calls from `start` on, as long as control passes all of them or leaves the line.
 * The next iteration may begin where a call returns or a jump leads. Returns false if a call may
 * belong to no iteration.
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

/* Returns the number of calls in one iteration, as in the text; 0 if the calls are not a
   number of equal iterations. */
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
