/* The kinds of objects that threads wait for. A kind is recognised by the functions between the
 * tester's code and the system call: exported names exist without debug information. */
#include "tracer/features/waiting/waiting_internal.h"

#include <linux/futex.h>
#include <string.h>

static const struct {
	const char *word, *noun; /* in reports; before the object's name */
	enum kind_owned owned;
} kinds[] = {
	[WAITING_GONE] = {"exited", .noun = ""},
	[WAITING_EXITED] = {"exited", .noun = ""},
	[WAITING_RUNNING] = {"running", .noun = ""},
	[WAITING_STOPPED] = {"stopped", .noun = ""},
	[WAITING_BLOCKED] = {"blocked", .noun = ""},
	[WAITING_GATE] = {"gate", .noun = ""},
	[WAITING_PROCESS] = {"process", .noun = ""},
	[WAITING_PIPE] = {"pipe", .noun = ""},
	[WAITING_FUTEX] = {"futex", .noun = "futex"},
	[WAITING_MUTEX] = {"mutex", "mutex", OWNED_BY_THREAD},
	[WAITING_READ] = {"rwlock", "rwlock", OWNED_BY_THREAD},
	[WAITING_WRITE] = {"rwlock", "rwlock", OWNED_BY_THREAD},
	[WAITING_CONDITION] = {"condition", "condition variable", OWNED_PERHAPS},
	[WAITING_DESTROY] = {"condition", "condition variable", OWNED_PERHAPS},
	[WAITING_SEMAPHORE] = {"semaphore", "semaphore", OWNED_PERHAPS},
	[WAITING_BARRIER] = {"barrier", .noun = "barrier"},
	[WAITING_ONCE] = {"once", "the routine of", OWNED_BY_THREAD},
	[WAITING_GUARD] = {"once", "the initialisation of", OWNED_BY_THREAD},
	[WAITING_STREAM] = {"stream", "stream", OWNED_BY_THREAD},
	[WAITING_JOIN] = {"join", .noun = ""},
	[WAITING_FUTURE] = {"future", .noun = "future"},
	[WAITING_LATCH] = {"latch", .noun = "latch"},
	[WAITING_ATOMIC] = {"atomic", .noun = "a change of atomic"},
	[WAITING_CRASHED] = {"crashed", .noun = ""},
};

const char *waiting_word(enum waiting_kind kind)
{
	return kinds[kind].word;
}

const char *kinds_noun(enum waiting_kind kind)
{
	return kinds[kind].noun;
}

enum kind_owned kinds_owned(enum waiting_kind kind)
{
	return kinds[kind].owned;
}

bool waiting_is_lock(enum waiting_kind kind)
{
	return kind == WAITING_MUTEX || kind == WAITING_READ || kind == WAITING_WRITE ||
	       kind == WAITING_STREAM || kind == WAITING_SEMAPHORE;
}

/* ---- by name ----------------------------------------------------------------------------- */

struct kind_name {
	const char *name; /* a pattern with * and ? */
	enum waiting_kind what;
};

/* C++ types are built from others: the first row that is on the stack counts. Functions inside a
 * template have the type in their arguments. */
static const struct kind_name cxx[] = {
	{"std::*future*::get", WAITING_FUTURE},
	{"std::*future*::wait*", WAITING_FUTURE},
	{"std::*latch::*wait*", WAITING_LATCH},
	{"std::*barrier*::*wait*", WAITING_BARRIER},
	{"std::*semaphore*::*acquire*", WAITING_SEMAPHORE},
	{"std::call_once*", WAITING_ONCE},
	{"std::*atomic*::wait", WAITING_ATOMIC},
	{"std::__atomic_wait*", WAITING_ATOMIC},
	{.name = NULL},
};

static const struct kind_name inner[] = {
	{"pthread_mutex_*lock*", WAITING_MUTEX},
	{"pthread_rwlock_*rdlock*", WAITING_READ},
	{"pthread_rwlock_*wrlock*", WAITING_WRITE},
	{"pthread_cond_*wait*", WAITING_CONDITION},
	{"pthread_cond_destroy*", WAITING_DESTROY},
	{"sem_*wait*", WAITING_SEMAPHORE},
	{"pthread_barrier_wait", WAITING_BARRIER},
	{"pthread_once*", WAITING_ONCE},
	{"cxa_guard_acquire", WAITING_GUARD},
	{"pthread_*join*", WAITING_JOIN},
	{"flockfile", WAITING_STREAM},
	{"syscall", WAITING_FUTEX},
	{.name = NULL},
};

/* Functions of stdio that lock their FILE. */
static const char *const stdio[] = {
	"*printf", "*printf_chk", "*puts*",    "*putc*",   "*fwrite*",	 "*fread*",  "*fget*",
	"*getc*",  "*scanf*",	  "*getline*", "*fflush*", "*getdelim*", "*fclose*", "*fseek*",
	"*ftell*", "*rewind*",	  "*setvbuf*", "*ungetc*", "*perror*",
};

/* Strips prefixes: "__GI___pthread_mutex_lock", "__new_sem_wait". */
static const char *bare(const char *function)
{
	static const char *const prefixes[] = {"_", "GI_", "new_", "IO_", "old_", NULL};

	for (size_t i = 0; function && prefixes[i]; i++)
		if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
			return bare(function + strlen(prefixes[i]));
	return function ? function : "";
}

enum waiting_kind kinds_of(const char *function)
{
	for (const struct kind_name *row = inner; row->name; row++)
		if (str_wildcard(row->name, bare(function)))
			return row->what;
	return WAITING_GONE;
}

static enum waiting_kind of_cxx(const struct waiter *w)
{
	for (const struct kind_name *row = cxx; row->name; row++)
		for (size_t i = 0; i < w->own; i++)
			if (w->stack.items[i].function &&
			    str_wildcard(row->name, w->stack.items[i].function))
				return row->what;
	return WAITING_GONE;
}

/* Returns the kind of the innermost function; WAITING_FUTEX only if there is no other. */
static enum waiting_kind of_c(const struct waiter *w)
{
	enum waiting_kind found = WAITING_GONE;

	for (size_t i = 0; i < w->own; i++) {
		enum waiting_kind here = kinds_of(w->stack.items[i].function);

		if (here && here != WAITING_FUTEX)
			return here;
		found = here ? here : found;
	}
	return found;
}

static bool in_stdio(const struct waiter *w)
{
	for (size_t i = 0; i < w->own; i++)
		for (size_t k = 0; k < sizeof(stdio) / sizeof(*stdio); k++)
			if (str_wildcard(stdio[k], bare(w->stack.items[i].function)))
				return true;
	return false;
}

void kinds_find(struct waiter *w)
{
	enum waiting_kind c = of_c(w), outer = of_cxx(w);

	w->timed = w->block.args[3] && ((int)w->block.args[1] & FUTEX_CMD_MASK) != FUTEX_WAKE;
	if (w->wait.kind == WAIT_JOIN)
		w->what = WAITING_JOIN; /* std::future::get may join a thread */
	else if (outer && (c == WAITING_GONE || c == WAITING_FUTEX || c == WAITING_ONCE))
		w->what = outer;
	else if (!c && in_stdio(w))
		w->what = WAITING_STREAM;
	else
		w->what = !c && w->wait.kind == WAIT_MUTEX ? WAITING_MUTEX : c;
}

/* The tester's own functions may have any name, so they do not count; code without lines
 * may be a static libc's. */
bool kinds_is_in(const struct waiter *w, const char *function)
{
	for (size_t i = 0; i < w->stack.count; i++)
		if (strcmp(bare(w->stack.items[i].function), function) == 0 &&
		    !(w->stack.items[i].line && caller_is_own(w, &w->stack.items[i])))
			return true;
	return false;
}

static bool is_in_start(const struct waiter *w)
{
	array_each(const struct inspect_call, call, &w->stack)
		if (str_same(call->function, run_thread_engine(w->thread)->start))
			return true;
	return false;
}

/* ---- occasion ---------------------------------------------------------------------------- */

/* Returns the number of system library calls outside the tester's outermost call. */
static size_t calls_around(const struct waiter *w)
{
	size_t last = w->stack.count;

	for (size_t i = w->own; i < w->stack.count; i = caller_own(w, i + 1))
		last = i;
	return last < w->stack.count ? w->stack.count - last - 1 : 0;
}

/* libstdc++ calls what std::thread runs, whatever name a lambda has on the stack. */
static bool is_in_std_thread(const struct waiter *w)
{
	for (size_t i = w->stack.count - calls_around(w); i < w->stack.count; i++) {
		const struct module *m = w->stack.items[i].frame.module;

		if (m && (module_matches(m, "libstdc++.so") || module_matches(m, "libc++.so")))
			return true;
	}
	return kinds_is_in(w, "execute_native_thread_routine");
}

/* An unexported libc function calls destructors of keys: if the start routine is no longer on the
 * stack and there is one call more than usual, it has returned. */
static bool is_past_start(const struct waiter *w)
{
	const struct trampoline *trampoline = trampoline_of(w->thread);
	bool is_first =
		run_thread_engine(w->thread)->tid == run_process_pid(run_process_of(w->thread));

	if (kinds_is_in(w, "nptl_deallocate_tsd"))
		return true;
	if (w->stack.cut || !run_thread_engine(w->thread)->start || is_first ||
	    is_in_std_thread(w) || trampoline->from_library || trampoline->runs)
		return false;
	return !is_in_start(w) && calls_around(w) > 2;
}

const char *kinds_occasion(const struct waiter *w)
{
	if (kinds_is_in(w, "call_tls_dtors"))
		return " while its thread-local destructors run";
	if (is_past_start(w))
		return " while the destructors of its keys run";
	if (kinds_is_in(w, "run_exit_handlers") || kinds_is_in(w, "exit"))
		return " while the process exits";
	return "";
}
