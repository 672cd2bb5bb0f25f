/*
 * The calls around the one reported of a thread: who called the tester's function, and what that
 * called outside the tester's code on the way to the wait. Three calls in all, so that it stays one
 * line.
 */
#include "tracer/features/waiting/waiting_internal.h"

#include <string.h>
#include <sys/syscall.h>

enum { MOST_AROUND = 2 };

static void around_add_call(const struct inspect_call *call, struct str *out)
{
	str_add(out, call->function);
	if (call->file && call->line)
		str_addf(out, " at %s:%u", str_base_name(call->file), call->line);
}

/* Is it what the kind of the wait says already, or a library's internal? */
static bool says_nothing(const struct waiter *w, const char *function)
{
	static const char *const known[] = {"_*",     "std::*", "thrd_*",    "mtx_*",	  "cnd_*",
					    "malloc", "free",	"sem_*wait", "call_once", NULL};

	for (size_t i = 0; known[i]; i++)
		if (str_wildcard(known[i], function))
			return true;
	return primitive_of(function) != PRIMITIVE_NONE || w->stream;
}

/* The function outside the tester's code that the reported call has called; NULL: none to
   report. */
static const struct inspect_call *entered(const struct waiter *w, bool blocked)
{
	const struct inspect_call *call;

	if (!w->told || w->told >= w->stack.count)
		return NULL;
	call = &w->stack.items[w->told - 1];
	if (!call->function)
		return NULL;
	if (caller_is_own(w, call) && call->line)
		return call;
	if ((blocked && w->block.number != SYS_futex) || says_nothing(w, call->function))
		return NULL;
	return call;
}

/* Further in than that one: where in the tester's other code it waits. */
static const struct inspect_call *around_innermost(const struct waiter *w)
{
	const struct inspect_call *call;

	if (w->own + 1 >= w->told)
		return NULL;
	call = &w->stack.items[w->own];
	return call->function && call->line ? call : NULL;
}

static unsigned add_inside(const struct waiter *w, bool blocked, struct str *out)
{
	const struct inspect_call *in = entered(w, blocked),
				  *last = in ? around_innermost(w) : NULL;

	if (!in)
		return 0;
	str_add(out, "; inside ");
	around_add_call(in, out);
	if (!last)
		return 1;
	str_add(out, ", ");
	around_add_call(last, out);
	return 2;
}

static void add_callers(const struct waiter *w, unsigned most, struct str *out)
{
	const char *how = ", called from ";

	for (size_t i = caller_own(w, w->told + 1); most && i < w->stack.count;
	     i = caller_own(w, i + 1), most--) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!call->function || !call->line)
			return;
		str_add(out, how);
		how = ", from ";
		around_add_call(call, out);
	}
}

void around_describe(const struct waiter *w, bool blocked, struct str *out)
{
	struct str inside = {0};
	unsigned count;

	if (w->told >= w->stack.count)
		return;
	count = w->loops ? 0 : add_inside(w, blocked, &inside);
	if (count < MOST_AROUND)
		add_callers(w, MOST_AROUND - count, out);
	str_add(out, str_text(&inside));
	str_fini(&inside);
}
