/* Decides from the instructions whether one arrival stands for several iterations of a loop. */
#include "tracer/arch/arch.h"
#include "tracer/source/lines/resolve.h"

enum { LOOK_BYTES = 4096 };

/* Analysis of a statement's code. */
struct round_scan {
	const struct source_site *site;
	bool one_row; /* the compiler gives all unrolled iterations one row (clang) */
	ARRAY(uint64_t) written;
};

static bool has_written(const struct round_scan *l, uint64_t what)
{
	array_each(const uint64_t, old, &l->written)
		if (*old == what)
			return true;
	return false;
}

/* True if a variable, or the same element of an array, is written a second time: a
   statement writes each once. */
static bool writes_again(struct round_scan *l, const struct arch_deed *deed)
{
	bool element = deed->written & 1;

	if (!l->one_row || !deed->written || (element && !deed->indexed))
		return false;
	if (has_written(l, deed->written))
		return true;
	*array_add(&l->written) = deed->written;
	return false;
}

static enum source_rounds scan_round(struct round_scan *l, const struct module_range *r)
{
	size_t size = r->high - r->low < LOOK_BYTES ? r->high - r->low : LOOK_BYTES;
	uint8_t *bytes = base_alloc(size, 1);
	enum source_rounds answer = SOURCE_ROUND;
	struct arch_deed deed;

	size = module_bytes(l->site->module, r->low, bytes, size);
	l->written.count = 0;
	for (size_t at = 0; at < size && answer != SOURCE_VECTORISED; at += deed.length) {
		if (arch_deed(bytes + at, size - at, r->low + at, &deed) < 0)
			break;
		if (deed.packed)
			answer = SOURCE_VECTORISED;
		else if (writes_again(l, &deed))
			answer = SOURCE_UNROLLED;
	}
	base_free(bytes);
	return answer;
}

/* True if the source text may have a loop around the statement. */
static bool may_loop(const struct source_site *site)
{
	const struct source_file *text = lines_source(site->module->owner, site->file);
	unsigned first = source_function_line(site);

	return !text || !first || first > site->line || source_may_loop(text, first, site->line);
}

enum source_rounds source_rounds(const struct source_site *site)
{
	struct round_scan l = {.site = site};
	enum source_rounds answer = SOURCE_ROUND;
	ERROR(ignored);
	struct die_table *t;
	const struct die_unit *u;

	if (site->kind != SOURCE_STATEMENT || !site->line)
		return SOURCE_ROUND;
	t = dies_table(site->module, &ignored);
	u = t ? dies_unit_at(t, site->offset) : NULL;
	l.one_row = u && !u->is_gcc && !site->is_round;
	array_each(const struct module_range, r, &site->ranges) {
		enum source_rounds here;

		if (site->offset < r->low || site->offset >= r->high)
			continue;
		here = scan_round(&l, r);
		answer = here > answer ? here : answer;
	}
	array_fini(&l.written);
	return answer == SOURCE_VECTORISED && !may_loop(site) ? SOURCE_ROUND : answer;
}
