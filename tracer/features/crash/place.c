/* Checks expect { signal = "SIGSEGV", at = LOCATION }: whether one of the calls is at the location.
 * A line matches a call at that line; a function matches any call whose code it contains. */
#include "tracer/run/modules/images.h"
#include "tracer/features/crash/crash.h"
#include "tracer/run/threads/threads.h"
#include "tracer/source/names/names.h"

static bool place_is_inside(const struct source_site *site, uint64_t offset)
{
	array_each(const struct module_range, r, &site->ranges)
		if (offset >= r->low && offset < r->high)
			return true;
	return offset == site->offset;
}

/* Compares the name shown in backtraces and the name used in locations. */
static bool same_function(const struct source_site *site, const struct inspect_call *call)
{
	return site->function && (str_same(site->function, call->function) ||
				  str_same(site->function, inspect_call_named(call)));
}

/* A lambda has one name in the symbol table and another in the debug information; a call has
 * either. */
static bool called_so(const struct location *l, const struct inspect_call *call)
{
	struct name_parts wanted;
	bool same;

	if (!l->name || l->match || !call->function)
		return false;
	names_split(l->name, &wanted);
	same = names_match(&wanted, call->function);
	names_fini(&wanted);
	return same;
}

static bool place_is_at(const struct inspect_call *call, const struct source_site *site,
			const struct location *l)
{
	enum location_kind kind = l->kind;
	bool same_line = site->line && call->line == site->line && call->file &&
			 str_same(call->file, site->file);

	if (call->frame.module != site->module)
		return false;
	if (kind == LOCATION_FUNC || kind == LOCATION_RETURN)
		return same_function(site, call) || called_so(l, call);
	if (kind == LOCATION_CALL || l->part)
		return place_is_inside(site, call->frame.lookup_pc - call->frame.bias);
	if (kind == LOCATION_ADDRESS)
		return call->frame.lookup_pc - call->frame.bias == site->offset;
	return same_line || place_is_inside(site, call->frame.lookup_pc - call->frame.bias);
}

static enum source_answer resolve(struct run *s, struct run_process *p, struct location *location,
				  struct source_sites *out, struct error *err)
{
	struct module **modules;
	enum source_answer answer;

	if (location_parse(run_plan(s)->expect.at, location, err) < 0)
		return SOURCE_ERROR;
	modules = images_modules(p);
	answer = source_resolve(run_symbols(s), modules, run_process_images(p)->count, location,
				out, err);
	base_free(modules);
	return answer;
}

int crash_check_at(struct run *s, struct run_process *p, struct error *err)
{
	const struct expect *x = &run_plan(s)->expect;
	struct source_sites sites = {0};
	struct location location = {0};
	enum source_answer answer;
	ERROR(why);
	bool pending;

	if (!x->at)
		return 0;
	answer = resolve(s, p, &location, &sites, &why);
	pending = answer == SOURCE_NOT_FOUND && location.object && !images_have(p, location.object);
	/* of a repaired program: no crash can be there */
	pending |= answer == SOURCE_NO_CODE && run_options(s)->aim == AIM_FIXED;
	source_sites_fini(&sites);
	location_fini(&location);
	if (answer == SOURCE_FOUND || pending)
		return 0;
	error_prefix(&why, "%s: expect: at: ", x->at_source);
	return error_move(err, &why);
}

bool crash_is_at(struct run *s, struct run_process *p, const struct inspect_stack *calls)
{
	struct source_sites sites = {0};
	struct location location = {0};
	ERROR(ignored);
	bool known = run_plan(s)->expect.at &&
		     resolve(s, p, &location, &sites, &ignored) == SOURCE_FOUND;
	bool found = false;

	array_each(const struct inspect_call, call, calls)
		array_each(const struct source_site, site, &sites)
			found |= known && place_is_at(call, site, &location);
	source_sites_fini(&sites);
	location_fini(&location);
	return found;
}

bool crash_stands_at(struct run *s, struct run_thread *t)
{
	struct inspect_stack calls = {0};
	bool at;

	if (!run_plan(s)->expect.at)
		return false;
	calls_read(t, 0, CRASH_CALLS, &calls);
	at = crash_is_at(s, run_process_of(t), &calls);
	inspect_stack_fini(&calls);
	return at;
}
