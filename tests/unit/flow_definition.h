/*
 * Reference implementation of flow.h without basic blocks: the starts of a statement that need no
 * trap.
 */
#ifndef GATECTL_TEST_FLOW_DEFINITION_H
#define GATECTL_TEST_FLOW_DEFINITION_H

#include "tracer/source/flow/flow_internal.h"

/* Marks in `seen` the instructions reachable from those marked, never through one in `avoid`. */
static void spread(const struct flow *f, bool *seen, const bool *avoid)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < f->insns.count; i++) {
			const struct flow_insn *in = &f->insns.items[i];
			uint32_t to[2] = {FLOW_NONE, FLOW_NONE};

			if (!seen[i] || avoid[i])
				continue;
			if (in->flow != ARCH_FLOW_JUMP && in->flow != ARCH_FLOW_JUMP_INDIRECT &&
			    in->flow != ARCH_FLOW_RETURN && in->flow != ARCH_FLOW_STOP)
				to[0] = flow_find(f, in->offset + in->length);
			if (in->flow == ARCH_FLOW_JUMP || in->flow == ARCH_FLOW_BRANCH)
				to[1] = flow_find(f, in->target);
			for (int k = 0; k < 2; k++)
				if (to[k] != FLOW_NONE && !seen[to[k]])
					more = seen[to[k]] = true;
			for (size_t u = 0; in->may_be_table && u < f->unknown.count; u++) {
				uint32_t first = f->blocks.items[f->unknown.items[u]].first;

				if (!seen[first])
					more = seen[first] = true;
			}
		}
	}
}

/* Marks the successors of instruction i. */
static void mark_next(const struct flow *f, uint32_t i, bool *seen)
{
	const struct flow_insn *in = &f->insns.items[i];
	uint32_t next = flow_find(f, in->offset + in->length), to = flow_find(f, in->target);

	if (in->flow != ARCH_FLOW_JUMP && in->flow != ARCH_FLOW_RETURN &&
	    in->flow != ARCH_FLOW_STOP && next != FLOW_NONE)
		seen[next] = true;
	if ((in->flow == ARCH_FLOW_JUMP || in->flow == ARCH_FLOW_BRANCH) && to != FLOW_NONE)
		seen[to] = true;
}

/*
 * True if instruction b is reachable, but not before one of `others`, and not a second time before
 * one of them.
 */
static bool is_needless(const struct flow *f, const bool *others, uint32_t b)
{
	bool *seen = calloc(f->insns.count, 1), *none = calloc(f->insns.count, 1), needless;

	array_each(const uint32_t, r, &f->roots)
		seen[f->blocks.items[*r].first] = true;
	spread(f, seen, others);
	needless = !seen[b];
	spread(f, seen, none);
	needless &= seen[b];
	memset(seen, 0, f->insns.count);
	mark_next(f, b, seen);
	spread(f, seen, others);
	needless &= !seen[b];
	free(none);
	free(seen);
	return needless;
}

static bool is_jump_to(const struct flow *f, uint32_t b, uint32_t a)
{
	const struct flow_insn *in = &f->insns.items[b];

	return in->flow == ARCH_FLOW_JUMP && in->target == f->insns.items[a].offset;
}

/*
 * Marks in `drop` the starts that another start covers, those that all others together cover, and
 * jumps to a start that is kept.
 */
static void drop_by_definition(const struct flow *f, const uint32_t *at, size_t n, bool *drop)
{
	bool *others = calloc(f->insns.count, 1);

	for (size_t b = 0; b < n; b++)
		for (size_t a = 0; a < n && !drop[b]; a++) {
			others[at[a]] = true;
			drop[b] = a != b && is_needless(f, others, at[b]);
			others[at[a]] = false;
		}
	for (size_t b = 0; b < n && n > 2; b++) {
		for (size_t a = 0; a < n; a++)
			others[at[a]] = a != b && !drop[a];
		drop[b] = drop[b] || is_needless(f, others, at[b]);
	}
	for (size_t b = 0; b < n; b++)
		for (size_t a = 0; a < n; a++)
			drop[b] = drop[b] || (a != b && !drop[a] && is_jump_to(f, at[b], at[a]));
	free(others);
}

#endif
