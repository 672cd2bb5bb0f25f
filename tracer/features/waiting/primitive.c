/*
 * What kind of object a blocked thread waits for, told by the names of the functions between the
 * tester's code and the system call: a library's exported names are always there, even without its
 * debug information.
 */
#include "tracer/features/waiting/trampoline.h"
#include "tracer/features/waiting/waiting_internal.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

struct primitive_name {
	const char *name; /* a pattern: * and ? */
	enum primitive what;
};

/* C++ types are built from others: the first of these that is on the stack counts. Functions inside
   any template have the type in their arguments. */
static const struct primitive_name cxx[] = {
	{"std::*future*::get", PRIMITIVE_FUTURE},
	{"std::*future*::wait*", PRIMITIVE_FUTURE},
	{"std::*latch::*wait*", PRIMITIVE_LATCH},
	{"std::*barrier*::*wait*", PRIMITIVE_BARRIER},
	{"std::*semaphore*::*acquire*", PRIMITIVE_SEMAPHORE},
	{"std::call_once*", PRIMITIVE_ONCE},
	{"std::*atomic*::wait", PRIMITIVE_ATOMIC},
	{"std::__atomic_wait*", PRIMITIVE_ATOMIC},
};

static const struct primitive_name inner[] = {
	{"pthread_mutex_*lock*", PRIMITIVE_MUTEX},
	{"pthread_rwlock_*rdlock*", PRIMITIVE_READ},
	{"pthread_rwlock_*wrlock*", PRIMITIVE_WRITE},
	{"pthread_cond_*wait*", PRIMITIVE_CONDITION},
	{"pthread_cond_destroy*", PRIMITIVE_DESTROY},
	{"sem_*wait*", PRIMITIVE_SEMAPHORE},
	{"pthread_barrier_wait", PRIMITIVE_BARRIER},
	{"pthread_once*", PRIMITIVE_ONCE},
	{"cxa_guard_acquire", PRIMITIVE_GUARD},
	{"pthread_*join*", PRIMITIVE_JOIN},
	{"flockfile", PRIMITIVE_STREAM},
	{"syscall", PRIMITIVE_SYSCALL},
};

/* Functions of stdio that take the lock of their FILE. */
static const char *const stdio[] = {
	"*printf",  "*printf_chk", "*puts*",	"*putc*",   "*putchar*", "*fwrite*",   "*fread*",
	"*fget*",   "*getc*",	   "*getchar*", "*scanf*",  "*getline*", "*getdelim*", "*fflush*",
	"*fclose*", "*fseek*",	   "*ftell*",	"*rewind*", "*setvbuf*", "*ungetc*",   "*perror*",
};

/* The plain name of "__GI___pthread_mutex_lock" or "__new_sem_wait". */
static const char *bare(const char *function)
{
	static const char *const prefixes[] = {"_", "GI_", "new_", "IO_", "old_"};
	bool again = function != NULL;

	while (again) {
		again = false;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			size_t n = strlen(prefixes[i]);

			if (strncmp(function, prefixes[i], n) != 0)
				continue;
			function += n;
			again = true;
		}
	}
	return function ? function : "";
}

static enum primitive look_up(const struct primitive_name *table, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (str_wildcard(table[i].name, name))
			return table[i].what;
	return PRIMITIVE_NONE;
}

static enum primitive of_cxx(const struct waiter *w)
{
	for (size_t k = 0; k < sizeof(cxx) / sizeof(*cxx); k++)
		for (size_t i = 0; i < w->own; i++)
			if (w->stack.items[i].function &&
			    str_wildcard(cxx[k].name, w->stack.items[i].function))
				return cxx[k].what;
	return PRIMITIVE_NONE;
}

enum primitive primitive_of(const char *function)
{
	return look_up(inner, sizeof(inner) / sizeof(*inner), bare(function));
}

/* The innermost one, also for system calls of libraries. */
static enum primitive of_c(const struct waiter *w)
{
	enum primitive found = PRIMITIVE_NONE;

	for (size_t i = 0; i < w->own; i++) {
		enum primitive here = primitive_of(w->stack.items[i].function);

		if (here && here != PRIMITIVE_SYSCALL)
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

void primitive_find(struct waiter *w)
{
	enum primitive c = of_c(w), outer = of_cxx(w);
	int op = (int)w->block.args[1] & FUTEX_CMD_MASK;

	if (w->block.number != SYS_futex)
		return;
	w->timed = w->block.args[3] && op != FUTEX_WAKE;
	if (w->wait.kind == WAIT_JOIN)
		w->what = PRIMITIVE_JOIN; /* std::future::get may join a thread */
	else if (outer && (c == PRIMITIVE_NONE || c == PRIMITIVE_SYSCALL || c == PRIMITIVE_ONCE))
		w->what = outer;
	else if (!c && in_stdio(w))
		w->what = PRIMITIVE_STREAM;
	else
		w->what = c ? c : w->wait.kind == WAIT_MUTEX ? PRIMITIVE_MUTEX : PRIMITIVE_NONE;
}

bool primitive_is_in(const struct waiter *w, const char *function)
{
	for (size_t i = 0; i < w->stack.count; i++)
		if (strcmp(bare(w->stack.items[i].function), function) == 0)
			return true;
	return false;
}

/* How many calls of system libraries are outside the tester's outermost one. */
static size_t calls_around(const struct waiter *w)
{
	size_t last = w->stack.count;

	for (size_t i = w->own; i < w->stack.count; i = caller_own(w, i + 1))
		last = i;
	return last < w->stack.count ? w->stack.count - last - 1 : 0;
}

/* The C++ library calls what std::thread runs, whatever a lambda is called on the stack. */
static bool is_in_std_thread(const struct waiter *w)
{
	for (size_t i = w->stack.count - calls_around(w); i < w->stack.count; i++) {
		const struct module *m = w->stack.items[i].frame.module;

		if (m &&
		    (strstr(module_path(m), "/libstdc++") || strstr(module_path(m), "/libc++")))
			return true;
	}
	return primitive_is_in(w, "execute_native_thread_routine");
}

/* A libc function without an exported name calls destructors of keys: the start routine has
   returned if it is no longer on the stack, and there is one call more than usual. */
static bool is_past_start(const struct waiter *w)
{
	const char *start = w->thread->engine->start;

	if (primitive_is_in(w, "nptl_deallocate_tsd"))
		return true;
	if (w->stack.cut || !start || strstr(w->thread->engine->id, "main") || is_in_std_thread(w))
		return false;
	if (trampoline_of(w->thread)->from_library ||
	    trampoline_of(w->thread)->runs) /* called by a library, too */
		return false;
	return !primitive_is_in(w, start) && calls_around(w) > 2;
}

const char *primitive_occasion(const struct waiter *w)
{
	if (primitive_is_in(w, "call_tls_dtors"))
		return " while its thread-local destructors run";
	if (is_past_start(w))
		return " while the destructors of its keys run";
	if (primitive_is_in(w, "run_exit_handlers") || primitive_is_in(w, "exit"))
		return " while the process exits";
	return "";
}
