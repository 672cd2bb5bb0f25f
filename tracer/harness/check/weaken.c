/* --weaken: outcomes that a contract allows although no sequential order gives them. */
#include "tracer/harness/hunt.h"

#include "lua/script.h"

#include <string.h>

static int read_one(struct harness_hunt *h, const char *text)
{
	const char *colon = strchr(text, ':');
	struct harness_weak weak = {0};

	weak.op = harness_op_named(&h->object, text, (size_t)(colon - text));
	if (!weak.op) {
		error_set(h->x.err, ERROR_USAGE, "--weaken: '%.*s' is no operation of %s",
			  (int)(colon - text), text, h->object.type);
		return error_hint(h->x.err, "gatectl harness --list says what was found");
	}
	weak.script = script_weaken_new(colon + 1, h->x.err);
	if (!weak.script)
		return -1;
	*array_add(&h->weak) = weak;
	return 0;
}

int harness_weaken(struct harness_hunt *h)
{
	array_each(const char *const, text, &h->options.weaken)
		if (read_one(h, *text) < 0)
			return -1;
	return 0;
}

static bool allows(void *ctx, const char *call, const char *given, const char *const *atomic,
		   size_t count)
{
	struct harness_hunt *h = ctx;
	const struct script_weak_call asked = {call, given, atomic, count};
	const struct harness_op *op = harness_op_named(&h->object, call, strcspn(call, "("));

	array_each(const struct harness_weak, weak, &h->weak)
		if (weak->op == op && !h->x.err->code &&
		    script_weaken_allows(weak->script, &asked, h->x.err) == 1)
			return true;
	return false;
}

int harness_allow(struct harness_hunt *h, struct outcomes *o)
{
	const struct outcome_contract contract = {h, allows};
	int count = 0;

	array_each(struct harness_outcome, item, o) {
		const struct harness_outcome *near;

		if (!h->weak.count || item->order || !item->times)
			continue;
		near = outcomes_allow(o, item->text, &contract);
		if (h->x.err->code)
			return -1;
		if (!near)
			continue;
		item->order = base_strdup(near->order);
		item->weakened = true;
		count++;
	}
	return count;
}
