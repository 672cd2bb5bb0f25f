/*
 * Two objects with one name: "a->lock", if two threads are in the same function. Each gets the name
 * of a variable, in some function on any thread's stack, that leads to it and not to another one of
 * them: "a->lock (alice->lock)". If there is none, its address is shown.
 */
#include "tracer/features/waiting/waiting_internal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ASKED = 4000, MOST_WORDS = 80 };

/* A name that an object may have. */
struct called {
	const struct waiter *who;
	char *name;
};

struct apart {
	struct waiters *all;
	ARRAY(struct called) names;
	unsigned asked;
};

static bool locks_apart_is_same(const struct waiter *a, const struct waiter *b)
{
	return a->object == b->object && a->thread->process == b->thread->process;
}

static bool is_doubtful(const struct waiters *all, const struct waiter *w)
{
	for (size_t i = 0; i < all->count && w->name; i++) {
		const struct waiter *other = &all->items[i];

		if (other->name && other->object != w->object && strcmp(other->name, w->name) == 0)
			return true;
	}
	return false;
}

/* ---- the variables that lead to it ------------------------------------------------------------- */

static void try_variable(struct apart *apart, const struct waiter *w,
			 const struct inspect_call *call, const char *name)
{
	struct inspect_value v;
	ERROR(ignored);
	struct str path = {0}, words = {0};

	if (apart->asked++ > MOST_ASKED || inspect_variable_local(call, name, &v, &ignored) < 0)
		return;
	if (inspect_member_at(&v, w->object, &path, &ignored) == 0 && path.length &&
	    path.length < MOST_WORDS) {
		str_addf(&words, "%s%s", name, str_text(&path));
		*array_add(&apart->names) = (struct called){w, str_take(&words)};
	}
	str_fini(&path);
	str_fini(&words);
}

static void try_call(struct apart *apart, const struct waiter *w, const struct inspect_call *call)
{
	struct inspect_variables homes = {0};
	ERROR(ignored);

	if (inspect_variables_at(call->frame.module, call->frame.lookup_pc - call->frame.bias,
				 call->scope, &homes, &ignored) == 0)
		array_each(const struct inspect_variable, h, &homes)
			if (h->name && !h->optimised_out)
				try_variable(apart, w, call, h->name);
	inspect_variables_fini(&homes);
}

static void try_thread(struct apart *apart, const struct waiter *w, const struct waiter *other)
{
	if (other->thread->process != w->thread->process)
		return;
	for (size_t i = other->own; i < other->stack.count; i = caller_own(other, i + 1))
		if (other->stack.items[i].frame.module)
			try_call(apart, w, &other->stack.items[i]);
}

/* The waiting thread's own come first. */
static void locks_apart_collect(struct apart *apart, const struct waiter *w)
{
	try_thread(apart, w, w);
	for (size_t i = 0; i < apart->all->count; i++)
		if (&apart->all->items[i] != w)
			try_thread(apart, w, &apart->all->items[i]);
}

/* ---- which name is its own ---------------------------------------------------------------------- */

static bool locks_apart_is_taken(const struct apart *apart, const struct waiter *w,
				 const char *name)
{
	array_each(const struct called, c, &apart->names)
		if (!locks_apart_is_same(c->who, w) && strcmp(c->name, name) == 0)
			return true;
	for (size_t i = 0; i < apart->all->count; i++) {
		const struct waiter *other = &apart->all->items[i];

		if (other->name && !locks_apart_is_same(other, w) && strcmp(other->name, name) == 0)
			return true;
	}
	return false;
}

static const char *own_name(const struct apart *apart, const struct waiter *w)
{
	array_each(const struct called, c, &apart->names)
		if (locks_apart_is_same(c->who, w) && !locks_apart_is_taken(apart, w, c->name))
			return c->name;
	return NULL;
}

/* "to->lock (alice->lock)" */
static void add_words(const char *words, char **name)
{
	struct str with = {0};

	str_addf(&with, *name ? "%s (%s)" : "%s%s", *name ? *name : "", words);
	base_free(*name);
	*name = str_take(&with);
}

static void locks_apart_add_address(uint64_t address, char **name)
{
	char words[32];

	snprintf(words, sizeof(words), "0x%llx", (unsigned long long)address);
	add_words(words, name);
}

static void rename_all(struct apart *apart, const bool *doubtful)
{
	for (size_t i = 0; i < apart->all->count; i++) {
		struct waiter *w = &apart->all->items[i];
		const char *words = doubtful[i] ? own_name(apart, w) : NULL;

		if (words)
			add_words(words, &w->name);
		else if (doubtful[i] || (!w->name && w->object))
			locks_apart_add_address(w->object, &w->name);
	}
}

/* ---- the mutexes of condition variables ---------------------------------------------------------- */

/* Is the name that of another object, or of the mutex of another one? */
static bool is_another(const struct waiters *all, const struct waiter *w)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct waiter *other = &all->items[i];

		if ((other->name && other->object != w->mutex_object &&
		     strcmp(other->name, w->mutex) == 0) ||
		    (other->mutex && other->mutex_object != w->mutex_object &&
		     strncmp(other->mutex, w->mutex, strlen(w->mutex)) == 0))
			return true;
	}
	return false;
}

static const char *locks_apart_name_of(const struct waiters *all, const struct run_process *p,
				       uint64_t object)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].object == object && all->items[i].name &&
		    all->items[i].thread->process == p)
			return all->items[i].name;
	return NULL;
}

static void name_mutexes(struct waiters *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct waiter *w = &all->items[i];
		const char *name = w->mutex_object ? locks_apart_name_of(all, w->thread->process,
									 w->mutex_object)
						   : NULL;

		if (!w->mutex)
			continue;
		if (name) {
			base_free(w->mutex);
			w->mutex = base_strdup(name);
		} else if (w->mutex_object && is_another(all, w)) {
			locks_apart_add_address(w->mutex_object, &w->mutex);
		}
	}
}

void locks_tell_apart(struct waiters *all)
{
	bool *doubtful = base_alloc(all->count + 1, sizeof(*doubtful));
	struct apart apart = {.all = all};

	for (size_t i = 0; i < all->count; i++) {
		doubtful[i] = is_doubtful(all, &all->items[i]);
		if (doubtful[i] && all->items[i].object)
			locks_apart_collect(&apart, &all->items[i]);
	}
	rename_all(&apart, doubtful);
	name_mutexes(all);
	array_each(struct called, c, &apart.names)
		base_free(c->name);
	array_fini(&apart.names);
	base_free(doubtful);
}
