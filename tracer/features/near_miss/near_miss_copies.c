/*
 * Copies of the line that the location excludes: the others of #K, the same source in another
 * object than OBJECT!, other instances of the template. One question for each: has anybody been
 * there?
 */
#include "tracer/run/places/places.h"
#include "tracer/features/near_miss/near_miss_internal.h"

#include <string.h>

enum { NUMBERS_MOST = 8 };

static struct run_place *of(const struct place *place)
{
	return place->user;
}

static bool near_miss_copies_is_meant(const struct source_sites *meant,
				      const struct source_site *site)
{
	array_each(const struct source_site, m, meant)
		if (m->module == site->module && m->offset == site->offset)
			return true;
	return false;
}

static char *location_of(const struct near_miss_watch *w, const struct source_site *site,
			 const char *bare)
{
	struct str text = {0};

	if (of(w->place)->location.object)
		str_addf(&text, "%s!", module_name(site->module));
	str_add(&text, bare);
	return str_take(&text);
}

static void near_miss_copies_add(const struct near_miss_watch *w, const struct source_sites *sites,
				 const char *text)
{
	struct near_misses *nm = near_miss_to_note(w->place);

	array_each(const struct source_site, site, sites) {
		struct near_miss_copy *copy;

		if (near_miss_copies_is_meant(nm->meant, site) ||
		    nm->copies.count == NEAR_MISS_COPIES)
			continue;
		copy = array_add(&nm->copies);
		copy->site = site;
		copy->location = location_of(w, site, text);
		near_miss_put(w, NEAR_MISS_COPY, site);
	}
}

/* Looks at what the changed location means. `text` is how the tester would write it. */
static void near_miss_copies_look(const struct near_miss_watch *w, const struct location *location,
				  const char *text)
{
	struct source_sites *sites = near_miss_new_sites(w->place);
	struct module **modules = base_alloc(w->count, sizeof(*modules));
	ERROR(ignored);

	for (size_t i = 0; i < w->count; i++)
		modules[i] = w->images[i].module;
	if (source_resolve(w->run->symbols, modules, w->count, location, sites, &ignored) ==
	    SOURCE_FOUND)
		near_miss_copies_add(w, sites, text);
	base_free(modules);
}

/* Without OBJECT! and #K. Owned by the caller. */
static char *bare_text(const struct location *l)
{
	size_t object = l->object ? strlen(l->object) + 1 : 0;
	const char *text = l->text + object, *number = l->match ? strrchr(text, '#') : NULL;

	return base_strndup(text, number ? (size_t)(number - text) : strlen(text));
}

static void other_numbers(const struct near_miss_watch *w, const char *bare)
{
	struct location location = of(w->place)->location;

	for (unsigned k = 1; k <= NUMBERS_MOST; k++) {
		struct str text = {0};

		if (k == of(w->place)->location.match)
			continue;
		location.match = k;
		str_addf(&text, "%s#%u", bare, k);
		near_miss_copies_look(w, &location, str_text(&text));
		str_fini(&text);
	}
}

static void other_objects(const struct near_miss_watch *w, const char *bare)
{
	struct location location = of(w->place)->location;

	location.object = NULL;
	location.match = 0;
	near_miss_copies_look(w, &location, bare);
}

/* Queue<int>::push;text without the template arguments means all instances. */
static void other_instances(const struct near_miss_watch *w)
{
	struct location location = of(w->place)->location;
	char *name = base_strdup(location.name), *open = strchr(name, '<');
	const char *close = strrchr(location.name, '>');
	struct str text = {0};

	if (open && close) {
		memmove(open, close - location.name + name + 1, strlen(close + 1) + 1);
		location.name = name;
		str_addf(&text, "%s;%s", name, location.search ? location.search : "");
		near_miss_copies_look(w, &location, str_text(&text));
		str_fini(&text);
	}
	base_free(name);
}

void near_miss_watch_copies(const struct near_miss_watch *w)
{
	const struct location *l = &of(w->place)->location;
	char *bare = bare_text(l);

	if (l->match)
		other_numbers(w, bare);
	else if (l->object)
		other_objects(w, bare);
	else if (l->kind == LOCATION_TEXT && strchr(l->name, '<'))
		other_instances(w);
	base_free(bare);
}

static struct near_miss_copy *copy_at(const struct act *a)
{
	array_each(struct near_miss_copy, copy, &near_miss_to_note(a->place)->copies)
		if (copy->site == a->info)
			return copy;
	return NULL;
}

bool near_miss_copy_seen(const struct act *a)
{
	const struct near_miss_copy *copy = copy_at(a);

	return copy && copy->by;
}

void near_miss_see_copy(const struct run_thread *t, const struct act *a)
{
	struct near_miss_copy *copy = copy_at(a);

	if (!copy || copy->by)
		return;
	copy->by = t->engine;
	places_sweep(a->place);
}
