/* Conditions in C: parses the expressions of places, checks them at sites, evaluates them. */
#include "tracer/run/run_internal.h"

#include "tracer/run/modules/images.h"
#include "tracer/run/threads/program.h"

#include <string.h>

/* Rewrites an error of inspect, which names every expression "hit:eval". */
static int explain_condition(const struct place *place, enum error_code code, struct error *err)
{
	static const char who[] = "hit:eval";
	const char *what = error_text(err);
	ERROR(whole);

	if (strncmp(what, who, strlen(who)) == 0)
		what += strlen(who);
	error_set(&whole, code, "%s: when%s%s", place->location, *what == ' ' ? "" : ": ", what);
	error_hint(&whole, "%s",
		   err->hint ? err->hint
			     : "write a C expression of variables in scope there, or give :when a "
			       "Lua function");
	return error_move(err, &whole);
}

/* The i-th expression of the place, the option first. Returns NULL after the last one. */
static const char *expression_at(const struct place *place, size_t i)
{
	if (place->when && i-- == 0)
		return place->when;
	array_each(const struct step, step, &place->steps)
		if (step->kind == STEP_WHEN && step->text && i-- == 0)
			return step->text;
	return NULL;
}

int conditions_parse(const struct place *place, struct error *err)
{
	const char *text;

	for (size_t i = 0; (text = expression_at(place, i)); i++)
		if (inspect_condition_parse(text, err) < 0)
			return explain_condition(place, ERROR_LOCATION, err);
	return 0;
}

/* Checks the expression in the scope of a thread at the site, with all registers 0. */
static int check_condition_at(struct run_process *p, const struct source_site *site, uint64_t bias,
			      const char *text, struct error *err)
{
	struct arch_regs regs = {0};
	struct inspect_stack calls;
	struct dwarf_frame first;
	int answer = 0;

	regs.dwarf[ARCH_DWARF_PC] = bias + site->offset;
	dwarf_frame_first(&p->program, NULL, &regs, &first);
	inspect_stack(&first, site->scope, 1, &calls);
	if (calls.count)
		answer = inspect_condition_check(&calls.items[0], text, err);
	inspect_stack_fini(&calls);
	return answer;
}

static uint64_t condition_bias(const struct run_process *p, const struct module *m)
{
	array_each(const struct image, image, &p->images)
		if (image->module == m)
			return image->bias;
	return 0;
}

int conditions_check(struct run_process *p, const struct place *place,
		     const struct source_sites *sites, struct error *err)
{
	const char *text;

	for (size_t i = 0; (text = expression_at(place, i)); i++)
		array_each(const struct source_site, site, sites)
			if (check_condition_at(p, site, condition_bias(p, site->module), text,
					       err) < 0)
				return explain_condition(place, ERROR_LOCATION, err);
	return 0;
}

enum engine_answer conditions_ask(void *ctx, const char *expression, const struct arrival *a,
				  bool again, struct error *err)
{
	struct run *s = ctx;
	bool yes = false;
	int failed;

	if (again)
		program_asks(s, a->at);
	failed = program_condition(s, a, expression, &yes, err);
	if (again)
		s->asker = NULL;
	if (failed < 0 && program_dying(a))
		return ENGINE_GONE;
	if (failed < 0 && err->code == ERROR_CHANGING) {
		error_fini(err);
		return ENGINE_NO;
	}
	if (failed < 0) {
		explain_condition(a->place, ERROR_SCRIPT, err);
		error_prefix(err, "%s: ", place_source(a->place));
		return ENGINE_FAULT;
	}
	return yes ? ENGINE_YES : ENGINE_NO;
}
