/* Notes for the user: how gatectl attach ends and what it waits for; loops whose rounds `hit` does
 * not count; sources newer than the object. */

#include "tracer/run/run.h"
#include "tracer/base/log.h"

#include <signal.h>
#include <unistd.h>

/* Per-run data: notes that were printed. */
struct attach_told {
	bool end;      /* how attach ends */
	bool optional; /* optional places that are still open */
};
static const struct keeper keeper = {sizeof(struct attach_told), NULL};

enum { SOON_US = 1000000, MOST_NAMED = 3 };

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* The process that the user started passes signals on to this one: see tracee_guard(). */
static void say_how_it_ends(const struct run *s)
{
	bool ignored = is_ignored(SIGINT);

	log_line("gatectl: note: attached to process %d; %s%d` lets it go again%s",
		 run_options(s)->pid, ignored ? "`kill " : "Ctrl-C or `kill -INT ", getppid(),
		 ignored ? " (SIGINT is ignored here)" : "");
}

static bool is_due(const struct place *p)
{
	return !p->retired && !p->companion_of && (p->inside || !place_reached(p));
}

/* gatectl detaches when each place has done its work; an optional place may never be reached. */
static void say_what_is_optional(const struct run *s, struct attach_told *told)
{
	STR(names);
	const struct place *place;
	size_t n = 0;

	for (size_t i = 0; (place = engine_place_at(run_engine(s), i)); i++) {
		if (!is_due(place))
			continue;
		if (!place->optional || place->inside)
			return;
		if (n++ < MOST_NAMED)
			str_addf(&names, "%s%s (%s)", n > 1 ? ", " : "", place->location,
				 place->source);
	}
	if (n > MOST_NAMED)
		str_addf(&names, " and %zu more", n - MOST_NAMED);
	if (n) {
		told->optional = true;
		log_line("gatectl: note: gatectl stays attached for optional places that were not "
			 "reached so far: %s",
			 str_text(&names));
	}
}

/* True at once on a terminal or if Ctrl-C does not work, else after SOON_US: a script that ends
 * soon leaves standard error empty. */
static bool is_time(const struct run *s)
{
	return run_elapsed_us(s) >= SOON_US || is_ignored(SIGINT) || isatty(STDERR_FILENO);
}

static void say(struct run *s)
{
	struct attach_told *told = kept_make(run_kept(s), &keeper);

	if (!run_options(s)->pid || run_is_attended(s) || run_only_looks(s) ||
	    run_options(s)->quiet || !run_root(s) || (told->end && told->optional) || !is_time(s))
		return;
	if (!told->end)
		say_how_it_ends(s);
	told->end = true;
	if (!told->optional)
		say_what_is_optional(s, told);
}

/* `hit` counts arrivals: an optimised loop may execute several rounds in one. */
static void rounds_note(struct run *s, const struct found *f)
{
	const struct place *place = f->place;
	enum source_rounds worst = SOURCE_ROUND;

	if (!f->first || !place->hit_first || run_options(s)->quiet || run_number(s) > 1)
		return;
	array_each(const struct source_site, site, f->sites) {
		enum source_rounds one = source_rounds(site);

		worst = one > worst ? one : worst;
	}
	if (worst == SOURCE_ROUND)
		return;
	log_line("gatectl: note: %s%s%s: hit counts arrivals, but the loop was %s: one arrival may "
		 "be several rounds of it",
		 place->source ? place->source : "", place->source ? ": " : "", place->location,
		 worst == SOURCE_VECTORISED ? "vectorised"
					    : "unrolled without a line table entry for each round");
}

/* Per-run data: source files that were compared with their module. */
struct newer_told {
	ARRAY(const char *) files;
};

static void free_newer(void *what)
{
	array_fini(&((struct newer_told *)what)->files);
}

static const struct keeper newer_keeper = {sizeof(struct newer_told), free_newer};

static bool is_new_file(struct newer_told *told, const char *file)
{
	array_each(const char *, known, &told->files)
		if (str_same(*known, file))
			return false;
	*array_add(&told->files) = file;
	return true;
}

static void newer_note(struct run *s, const struct found *f)
{
	struct newer_told *told = kept_make(run_kept(s), &newer_keeper);

	array_each(const struct source_site, site, f->sites)
		if (is_new_file(told, site->file) && source_is_newer(site->module, site->file)) {
			STR(text);

			source_add_newer(site->module, site->file, &text);
			log_line("gatectl: note: %s", str_text(&text));
		}
}

static void found_note(struct run *s, const struct found *f)
{
	rounds_note(s, f);
	if (f->first && !run_options(s)->quiet && run_number(s) <= 1 &&
	    run_options(s)->aim != AIM_FIXED) /* then an error */
		newer_note(s, f);
}

extern const struct observer notes_observer;
const struct observer notes_observer = {.tick = say, .found = found_note};
