/* Support for programs built with sanitizers. LeakSanitizer fails under a tracer: such programs are
 * exec'ed again with detect_leaks=0. Sanitizers start threads in a routine of their own; the
 * program's routine is an argument of their pthread_create. */
#include "tracer/run/modules/images.h"
#include "tracer/features/sanitizer/sanitizer.h"
#include "tracer/base/log.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <string.h>

/* Per-thread data: start routine and argument that the thread passed to pthread_create; 0: none. */
struct creation {
	uint64_t routine, argument;
};
static const struct keeper creation_keeper = {sizeof(struct creation), NULL};

/* Per-run data. */
struct sanitizer_told {
	bool leaks; /* the note about LeakSanitizer was printed */
};
static const struct keeper told_keeper = {sizeof(struct sanitizer_told), NULL};

#define OPTION "detect_leaks="

/* in every copy of LeakSanitizer's code, even linked statically and stripped */
static const char refusal[] = "LeakSanitizer has encountered a fatal error";

/* Parses as sanitizers do: the last option counts. */
static bool leaks_off(const char *options)
{
	static const char *const no[] = {"0", "no", "false"};
	const char *value = NULL;

	for (const char *at = options; (at = strstr(at, OPTION)); at = value)
		value = at + strlen(OPTION);
	for (size_t i = 0; value && i < sizeof(no) / sizeof(no[0]); i++)
		if (strcspn(value, ":, \t\n\r") == strlen(no[i]) &&
		    strncmp(value, no[i], strlen(no[i])) == 0)
			return true;
	return false;
}

static bool env_has(struct tracee_thread *t, const char *name, const char *what)
{
	char *value = tracee_env(t, name);
	bool has = value && strstr(value, what);

	base_free(value);
	return has;
}

static bool linked(struct tracee_thread *t, const struct module *m, const char *symbol,
		   const char *library)
{
	return module_has_string(m, symbol) || env_has(t, "LD_PRELOAD", library);
}

/* Returns the environment variable for LeakSanitizer's options, or NULL if the program has none. */
static const char *variable_of(struct tracee_thread *t, const struct module *m)
{
	bool has = module_contains(m, refusal, strlen(refusal));

	if (linked(t, m, "__asan_init", "asan") ||
	    (has && module_contains(m, "ASAN_OPTIONS", sizeof("ASAN_OPTIONS"))))
		/* LSAN_OPTIONS takes precedence */
		return env_has(t, "LSAN_OPTIONS", OPTION) ? "LSAN_OPTIONS" : "ASAN_OPTIONS";
	return has || linked(t, m, "__lsan_init", "liblsan") ? "LSAN_OPTIONS" : NULL;
}

static void say(struct run *s, const char *variable)
{
	struct sanitizer_told *told = kept_make(run_kept(s), &told_keeper);

	if (!told->leaks && run_number(s) <= 1 && !run_options(s)->quiet)
		log_line("gatectl: note: LeakSanitizer cannot work under a tracer: "
			 "detect_leaks=0 was added to %s",
			 variable);
	told->leaks = true;
}

static bool exec_again(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	struct module *m = images_program(s, p);
	const char *variable = m ? variable_of(t, m) : NULL;
	STR(assignment);
	char *value;
	bool again;

	if (!variable)
		return false;
	value = tracee_env(t, variable);
	again = !value || !leaks_off(value);
	str_addf(&assignment, "%s=%s%s" OPTION "0", variable, value ? value : "",
		 value && *value ? ":" : "");
	if (again && tracee_exec_again(t, str_text(&assignment)) < 0)
		again = false;
	if (again)
		say(s, variable);
	base_free(value);
	return again;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Every sanitizer runtime refers to this symbol, at least weakly, so it is a dynamic symbol.
 * Reading libc's symbols would take half the time of a start. */
static bool has_runtime(const struct module *m)
{
	return module_has_string(m, "__sanitizer_symbolize_code");
}

/* Records the arguments: the new thread begins in a function of the runtime. */
static enum hit_answer hit_create(struct run *s, const struct act *a, const struct hit *h)
{
	enum { RDX = 1, RCX = 2 };

	(void)s;
	(void)a;
	*(struct creation *)kept_make(run_thread_kept(h->thread), &creation_keeper) =
		(struct creation){h->regs.dwarf[RDX], h->regs.dwarf[RCX]};
	return HIT_SEEN;
}

static const struct site_owner sanitizer_owner = {.hit = hit_create};

static int sanitizer_settle(struct run *s, const struct modules_seen *m, struct error *err)
{
	/* if both exist, the second is a jump to the first */
	static const char *const names[] = {"___interceptor_pthread_create",
					    "__interceptor_pthread_create"};
	struct run_process *p = m->process;
	const struct act create = {.owner = &sanitizer_owner};
	uint64_t offset, size;
	if (m->stage != MODULES_SETTLED)
		return 0;
	for (size_t i = 0; i < run_process_images(p)->count * 2; i++) {
		const struct image *image = &run_process_images(p)->items[i / 2];
		struct site_use *use;

		if (!has_runtime(image->module) ||
		    module_symbol(image->module, names[i % 2], &offset, &size) < 0)
			continue;
		run_process_set_sanitized(p);
		use = sites_use(s, p, m->thread, image->bias + offset, NULL, err);
		if (use && !sites_has(use, &create))
			sites_act(use, &create);
		return 0;
	}
	return 0;
}

/* A runtime has a BackgroundThread of its own and starts the program's threads in its code, too.
 * Names of a statically linked runtime begin with "__". */
static bool may_be_background(const char *name)
{
	return name && strstr(name, "BackgroundThread");
}

static bool is_background(struct run_process *p, uint64_t routine, const char *name)
{
	const struct image *image =
		may_be_background(name) ? images_find(run_of(p), p, routine) : NULL;

	return image && has_runtime(image->module) &&
	       (image->module != run_process_exe(p) || strncmp(name, "__", 2) == 0);
}

/* Called for each thread at each tick: the name excludes most without reading memory. */
bool sanitizer_owns(const struct run_thread *t)
{
	const char *name = run_thread_engine(t)->start;

	return may_be_background(name) &&
	       is_background(run_process_of(t), run_thread_routine(t), name);
}

/* A sanitizer's own thread begins with a routine that the program did not pass. */
static bool sanitizer_start(struct run *s, struct run_thread *creator, const char *name,
			    uint64_t *routine, uint64_t *argument)
{
	struct creation *creation = kept_of(run_thread_kept(creator), &creation_keeper);

	(void)s;
	if (!creation || !creation->routine ||
	    is_background(run_process_of(creator), *routine, name))
		return false;
	*routine = creation->routine;
	*argument = creation->argument;
	creation->routine = 0;
	return true;
}

extern const struct observer sanitizer_observer;
const struct observer sanitizer_observer = {
	.exec_again = exec_again, .modules = sanitizer_settle, .start = sanitizer_start};
