/* Starts of threads: the function, its argument, and the place of the handle. */
#include "tracer/audit/flow/flow.h"

#include <string.h>

void thread_give(struct audit_flow *w, struct state *s, unsigned given, unsigned function,
		 bool is_own, struct audit_place at)
{
	const struct term body = term_at(w->t, function);
	const bool is_known = body.kind == TERM_FUNCTION;

	if (!given || term_kind(w->t, given) == TERM_CONSTANT)
		return;
	object_show(w, s, term_object(w->t, given), is_known ? body.a : 0, at);
	summary_deed(w, (struct audit_deed){.kind = DEED_GIVEN,
					    .object = given,
					    .address = is_known ? function : 0});
	if (w->records && is_own)
		summary_deed(w, (struct audit_deed){.kind = DEED_BEGUN, .object = given});
}

bool thread_is_of(const struct terms *t, unsigned handle, unsigned given)
{
	for (; handle && handle != given; handle = term_at(t, handle).a)
		if (term_kind(t, handle) != TERM_FIELD)
			return false;
	return handle != 0;
}

/* True for a variable of static storage, or a field of one. */
static bool is_in_variable(const struct terms *t, unsigned address)
{
	while (term_kind(t, address) == TERM_FIELD)
		address = term_at(t, address).a;
	return term_kind(t, address) == TERM_GLOBAL;
}

/* True for a local of main where no loop makes threads: there is one handle of this name. */
static bool is_of_main(const struct audit_flow *w, unsigned address)
{
	return term_kind(w->t, address) == TERM_LOCAL &&
	       strcmp(program_text(w->p, w->function->name), "main") == 0 &&
	       !flow_reaches(w->function, w->block, w->block);
}

void thread_note(struct audit_flow *w, unsigned usr, unsigned how)
{
	struct number_map *own = &w->audit->own_threads;
	const unsigned known = number_map_get(own, usr);

	number_map_set(&w->p->taken, usr, TAKEN_BY_THREAD);
	number_map_set(own, usr, known && known != how ? THREAD_SHARES : how);
}

void thread_start(struct audit_flow *w, struct state *s, const struct thread_started *thread,
		  struct audit_place at)
{
	const unsigned function = thread->function, given = thread->given, handle = thread->handle;
	const struct term body = term_at(w->t, function);
	const bool is_own = thread_is_of(w->t, handle, given);

	s->makes_threads = w->facts->makes_threads = true;
	if (body.kind == TERM_FUNCTION)
		thread_note(w, body.a,
			    is_own ? THREAD_OWNS
			    : is_in_variable(w->t, handle) || is_of_main(w, handle)
				    ? THREAD_SHARES + handle
				    : THREAD_SHARES);
	else if (body.kind == TERM_PARAMETER)
		summary_deed(w, (struct audit_deed){DEED_START, given, function, handle, false});
	thread_give(w, s, given, function, is_own, at);
}
