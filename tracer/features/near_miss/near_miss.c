/* Sets the traps that watch the function of a place until the place is reached, and records what
 * they see. Each of the first calls costs a stop; places and arrivals are not affected. */
#include "tracer/run/places/places.h"
#include "tracer/features/near_miss/near_miss.h"

#include <string.h>

enum { NUMBERS_MOST = 8 };

/* Arguments for setting traps. */
struct near_miss_watch {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	struct place *place;
	const struct image *images; /* images to search */
	size_t count;
};
enum near_miss_trap {
	NEAR_MISS_IN, /* an entry of the place's function */
	NEAR_MISS_OUT,
	NEAR_MISS_COPY,
};

static struct run_place *of(const struct place *place)
{
	return place->user;
}

static const struct site_owner near_miss_owner;

static void near_miss_forget(void *what)
{
	struct near_misses *nm = what;

	array_each(struct near_miss_copy, copy, &nm->copies)
		base_free(copy->location);
	array_fini(&nm->copies);
	array_fini(&nm->visits);
}

static const struct keeper near_miss_keeper = {sizeof(struct near_misses), near_miss_forget};

static struct near_misses *to_note(const struct place *place)
{
	return place->user ? kept_of(run_place_kept(of(place)), &near_miss_keeper) : NULL;
}

const struct near_misses *near_miss_of(const struct place *place)
{
	return to_note(place);
}

/* ---- setting the traps ---------------------------------------------------------------------- */

/* Returns an empty list, owned by the place. */
static struct source_sites *new_sites(struct place *place)
{
	struct source_sites *sites = base_alloc(1, sizeof(*sites));

	run_place_add_result(of(place), sites);
	return sites;
}

/* Returns false if the trap cannot be set. */
static bool near_miss_put(const struct near_miss_watch *w, enum near_miss_trap kind,
			  const struct source_site *info)
{
	struct act act = {.owner = &near_miss_owner, .what = kind, .place = w->place, .info = info};
	ERROR(ignored);

	for (size_t i = 0; i < w->count; i++) {
		if (w->images[i].module != info->module)
			continue;
		act.bias = w->images[i].bias;
		return sites_put(w->run, w->process, w->thread, act.bias + info->offset, &act,
				 &ignored) == 0;
	}
	return false;
}

/* ---- copies of the line ------------------------------------------------------------------ */

/* Copies of the line that the location excludes: other matches of #K, the same source in another
 * object than OBJECT!, other instances of a template. */

static bool is_meant(const struct source_sites *meant, const struct source_site *site)
{
	array_each(const struct source_site, m, meant)
		if (m->module == site->module && m->offset == site->offset)
			return true;
	return false;
}

static void add_copies(const struct near_miss_watch *w, const struct source_sites *sites,
		       const char *text)
{
	struct near_misses *nm = to_note(w->place);

	array_each(const struct source_site, site, sites) {
		bool named = run_place_location(of(w->place))->object;
		struct near_miss_copy *copy;
		struct str location = {0};

		if (is_meant(nm->meant, site) || nm->copies.count == NEAR_MISS_COPIES)
			continue;
		copy = array_add(&nm->copies);
		copy->site = site;
		str_addf(&location, "%s%s%s", named ? module_name(site->module) : "",
			 named ? "!" : "", text);
		copy->location = str_take(&location);
		near_miss_put(w, NEAR_MISS_COPY, site);
	}
}

/* Adds the sites of a changed location, which the tester would write as `text`. */
static void look_for_copies(const struct near_miss_watch *w, const struct location *location,
			    const char *text)
{
	struct source_sites *sites = new_sites(w->place);
	struct module **modules = base_alloc(w->count, sizeof(*modules));
	ERROR(ignored);

	for (size_t i = 0; i < w->count; i++)
		modules[i] = w->images[i].module;
	if (source_resolve(run_symbols(w->run), modules, w->count, location, sites, &ignored) ==
	    SOURCE_FOUND)
		add_copies(w, sites, text);
	base_free(modules);
}

/* Returns the location without OBJECT! and #K; freed by the caller. */
static char *bare_text(const struct location *l)
{
	size_t object = l->object ? strlen(l->object) + 1 : 0;
	const char *text = l->text + object, *number = l->match ? strrchr(text, '#') : NULL;

	return base_strndup(text, number ? (size_t)(number - text) : strlen(text));
}

static void other_numbers(const struct near_miss_watch *w, const char *bare)
{
	struct location location = *run_place_location(of(w->place));

	for (unsigned k = 1; k <= NUMBERS_MOST; k++) {
		STR(text);

		if (k == run_place_location(of(w->place))->match)
			continue;
		location.match = k;
		str_addf(&text, "%s#%u", bare, k);
		look_for_copies(w, &location, str_text(&text));
	}
}

/* Queue<int>::push;text without its template arguments selects all instances. */
static void other_instances(const struct near_miss_watch *w)
{
	struct location location = *run_place_location(of(w->place));
	char *name = base_strdup(location.name), *open = strchr(name, '<');
	const char *close = strrchr(location.name, '>');
	STR(text);

	if (open && close) {
		memmove(open, close - location.name + name + 1, strlen(close + 1) + 1);
		location.name = name;
		str_addf(&text, "%s;%s", name, location.search ? location.search : "");
		look_for_copies(w, &location, str_text(&text));
	}
	base_free(name);
}

static void watch_copies(const struct near_miss_watch *w)
{
	const struct location *l = run_place_location(of(w->place));
	struct location whole = *l; /* in any object */
	char *bare = bare_text(l);

	whole.object = NULL;
	if (l->match)
		other_numbers(w, bare);
	else if (l->object)
		look_for_copies(w, &whole, bare);
	else if (l->kind == LOCATION_TEXT && strchr(l->name, '<'))
		other_instances(w);
	base_free(bare);
}

static struct near_miss_copy *copy_at(const struct act *a)
{
	array_each(struct near_miss_copy, copy, &to_note(a->place)->copies)
		if (copy->site == a->info)
			return copy;
	return NULL;
}

static bool copy_seen(const struct act *a)
{
	const struct near_miss_copy *copy = copy_at(a);

	return copy && copy->by;
}

static void see_copy(const struct run_thread *t, const struct act *a)
{
	struct near_miss_copy *copy = copy_at(a);

	if (!copy || copy->by)
		return;
	copy->by = run_thread_engine(t);
	places_sweep(a->place);
}

/* ---- entries and exits ------------------------------------------------------------------- */

static bool put_all(const struct near_miss_watch *w, enum near_miss_trap kind,
		    const struct source_sites *sites)
{
	bool all = true;

	array_each(const struct source_site, site, sites)
		all &= near_miss_put(w, kind, site);
	return all;
}

static const struct source_sites *boundaries(const struct near_miss_watch *w, bool out, bool *all)
{
	struct source_sites *sites = new_sites(w->place);

	source_boundaries(run_symbols(w->run), to_note(w->place)->meant, out, sites, all);
	return sites;
}

static bool wants_watch(const struct place *place, const struct source_sites *sites)
{
	return !place->optional && !place->companion_of && !place->arrivals && sites->count &&
	       sites->items[0].kind != SOURCE_ENTRY &&
	       run_place_location(of(place))->kind != LOCATION_FUNC;
}

static void watch_found(struct run *s, const struct found *f)
{
	struct near_miss_watch w = {s, f->process, f->thread, f->place, f->images, f->count};
	struct near_misses *nm = to_note(f->place);
	const struct source_sites *in;
	bool all;

	if (!wants_watch(f->place, f->sites) || (nm && nm->over))
		return;
	if (!nm) {
		nm = kept_make(run_place_kept(of(f->place)), &near_miss_keeper);
		nm->complete = true;
	}
	nm->meant = f->sites;
	in = boundaries(&w, false, &all);
	nm->entries = in;
	if (in->count)
		nm->function = in->items[0].function;
	nm->complete &= all && put_all(&w, NEAR_MISS_IN, in);
	w.images = run_process_images(f->process)->items;
	w.count = run_process_images(f->process)->count;
	watch_copies(&w);
}

/* ---- observations ------------------------------------------------------------------------ */

static void near_miss_end(struct place *place)
{
	to_note(place)->over = true;
	places_sweep(place);
}

static bool frame_at(const struct act *a, uint64_t address, const struct arch_regs *regs,
		     uint64_t *frame)
{
	unsigned reg;
	int64_t add;

	if (!dwarf_cfa(a->info->module, address - a->bias, &reg, &add) || reg > ARCH_DWARF_PC)
		return false;
	*frame = regs->dwarf[reg] + (uint64_t)add;
	return true;
}

static bool watches_out(struct run_process *p, const struct place *place)
{
	array_each(const struct placed, placed, run_place_placed(of(place))) {
		const struct site_use *use = placed->site->user;

		if (placed->process != p)
			continue;
		array_each(const struct act, a, &use->acts)
			if (a->owner == &near_miss_owner && a->what == NEAR_MISS_OUT &&
			    a->place == place)
				return true;
	}
	return false;
}

/* Traps at exits are set at the first entry: most runs reach the place or
 * never enter the function. */
static void watch_out(struct run *s, struct run_thread *t, const struct act *a)
{
	struct run_process *p = run_process_of(t);
	const struct near_miss_watch w = {s,
					  p,
					  run_thread_tracee(t),
					  a->place,
					  run_process_images(p)->items,
					  run_process_images(p)->count};
	bool all;

	if (!watches_out(p, a->place))
		put_all(&w, NEAR_MISS_OUT, boundaries(&w, true, &all));
}

static void near_miss_enter(struct run *s, struct run_thread *t, const struct act *a,
			    uint64_t address, const struct arch_regs *regs)
{
	struct near_misses *nm = to_note(a->place);
	struct near_miss_visit *visit;

	if (nm->visits.count == NEAR_MISS_VISITS) {
		nm->many = true;
		near_miss_end(a->place);
		return;
	}
	visit = array_add(&nm->visits);
	visit->thread = run_thread_engine(t);
	visit->entry = a->info;
	visit->into = a->info->inlined_into;
	visit->left = visit->into;
	visit->framed = frame_at(a, address, regs, &visit->frame);
	if (visit->framed)
		watch_out(s, t, a);
}

static void near_miss_leave(struct run_thread *t, const struct act *a, uint64_t address,
			    const struct arch_regs *regs)
{
	struct near_misses *nm = to_note(a->place);
	bool returns = a->info->kind != SOURCE_STATEMENT;
	uint64_t frame;

	if (!frame_at(a, address, regs, &frame))
		return;
	for (size_t i = nm->visits.count; i-- > 0;) {
		struct near_miss_visit *v = &nm->visits.items[i];

		if (v->thread != run_thread_engine(t) || !v->framed || v->frame != frame ||
		    (v->left && !v->into))
			continue;
		v->left |= returns;
		if (!returns || !v->line) {
			v->file = a->info->file;
			v->line = a->info->line;
		}
		return;
	}
}

static void reached(struct run *s, struct run_thread *t, struct place *place)
{
	const struct near_misses *nm = near_miss_of(place);

	(void)s;
	(void)t;
	if (nm && !nm->over && place->arrivals)
		near_miss_end(place);
}

static enum hit_answer near_miss_hit(struct run *s, const struct act *a, const struct hit *h)
{
	if (to_note(a->place)->over || !sites_arrives(a, h))
		return HIT_SEEN;
	if (a->what == NEAR_MISS_IN)
		near_miss_enter(s, h->thread, a, h->address, &h->regs);
	else if (a->what == NEAR_MISS_OUT)
		near_miss_leave(h->thread, a, h->address, &h->regs);
	else
		see_copy(h->thread, a);
	return HIT_SEEN;
}

static bool idle(const struct act *a)
{
	return a->place->retired || to_note(a->place)->over ||
	       (a->what == NEAR_MISS_COPY && copy_seen(a));
}

/* ---- results ----------------------------------------------------------------------------- */

/* True if the line has no code of its own in that copy of the function. Copies in one function may
 * share the code of a line. */
static bool is_bare(const struct near_misses *nm, const struct source_site *entry)
{
	array_each(const struct source_site, site, nm->meant)
		if (!site->scope || str_same(site->inlined_into, entry->inlined_into))
			return false;
	return entry->scope != 0;
}

const struct source_site *near_miss_bare(const struct near_misses *nm)
{
	array_each(const struct near_miss_visit, v, &nm->visits)
		if (is_bare(nm, v->entry))
			return v->entry;
	for (size_t i = 0; nm->many && nm->entries && i < nm->entries->count; i++)
		if (is_bare(nm, &nm->entries->items[i]))
			return &nm->entries->items[i];
	return NULL;
}

static const struct site_owner near_miss_owner = {.hit = near_miss_hit, .idle = idle};

extern const struct observer near_miss_observer;
const struct observer near_miss_observer = {.found = watch_found, .arrival = reached};
