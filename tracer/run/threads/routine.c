/* Start routines that the `thread` option of a place can name, whether or not the run has such a
 * thread. */
#include "tracer/run/threads/start.h"
#include "tracer/run/threads/threads.h"

#include <string.h>

struct routine_search {
	const char *name; /* a function, as the id of its thread has it; * and ? match */
	struct str first, only, last; /* patterns: a callable object that std::thread runs */
	bool found;
};

/* Lambdas and callable objects may be inlined wherever they are called; the function of the
 * standard library that calls them then has their type in its name. */
static void compare(void *ctx, const char *function)
{
	struct routine_search *q = ctx;
	OWNED(name) = start_without_anonymous(base_strdup(function));

	q->found = q->found || str_wildcard(q->name, name) ||
		   str_wildcard(str_text(&q->first), name) ||
		   str_wildcard(str_text(&q->only), name) || str_wildcard(str_text(&q->last), name);
}

static bool is_symbol(struct module *const *modules, size_t count, const char *name)
{
	struct routine_search q = {.name = name};

	str_addf(&q.first, "*std::tuple<%s,*", name);
	str_addf(&q.only, "*std::tuple<%s>*", name);
	str_addf(&q.last, "*std::tuple<%s >*", name);
	for (size_t i = 0; i < count && !q.found; i++)
		source_each_function(modules[i], compare, &q);
	str_fini(&q.first);
	str_fini(&q.only);
	str_fini(&q.last);
	return q.found;
}

/* Functions of the debug information, too. The error names similar ones. */
static bool is_function(struct modules *symbols, struct module *const *modules, size_t count,
			const char *name, struct error *err)
{
	struct source_sites sites = {0};
	struct location location = {0};
	bool found = false;

	if (location_parse(name, &location, err) == 0 && location.kind == LOCATION_FUNC)
		found = source_resolve(symbols, modules, count, &location, &sites, err) !=
			SOURCE_NOT_FOUND;
	else
		error_set(err, ERROR_LOCATION, "%s: no function has this name", name);
	source_sites_fini(&sites);
	location_fini(&location);
	return found;
}

bool threads_may_start(struct modules *symbols, struct module *const *modules, size_t count,
		       const char *thread, struct error *err)
{
	const char *slash = strrchr(thread, '/'), *id = slash ? slash + 1 : thread;
	const char *hash = strrchr(id, '#');
	OWNED(name) = base_strndup(id, hash ? (size_t)(hash - id) : strlen(id));
	ERROR(why);

	if (strcmp(name, START_UNKNOWN) == 0 || is_symbol(modules, count, name) ||
	    is_function(symbols, modules, count, name, &why))
		return true;
	error_set(err, ERROR_LOCATION, "thread = \"%s\": %s", thread,
		  why.text + strlen(name) + strlen(": "));
	error_hint(err, "`gatectl run -v` with the program names each thread that starts");
	return false;
}
