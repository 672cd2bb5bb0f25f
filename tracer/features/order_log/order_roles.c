#include "tracer/features/order_log/order_roles.h"

#include "tracer/base/text/str.h"

#include <string.h>

void order_roles_fini(struct order_roles *r)
{
	array_fini(&r->role);
	array_fini(&r->taken);
}

void order_roles_clear(struct order_roles *r)
{
	r->role.count = r->taken.count = 0;
}

uint32_t order_roles_of(const struct order_roles *r, uint32_t who)
{
	return who < r->role.count ? r->role.items[who] : ORDER_NO_ROLE;
}

static uint32_t taken_by(const struct order_roles *r, uint32_t first)
{
	return first < r->taken.count ? r->taken.items[first] : ORDER_NO_ROLE;
}

bool order_roles_swapped(const struct order_roles *r)
{
	for (size_t i = 0; i < r->role.count; i++)
		if (r->role.items[i] != ORDER_NO_ROLE && r->role.items[i] != i)
			return true;
	return false;
}

static void bind(struct order_roles *r, uint32_t who, uint32_t first)
{
	while (r->role.count <= who)
		*array_add(&r->role) = ORDER_NO_ROLE;
	while (r->taken.count <= first)
		*array_add(&r->taken) = ORDER_NO_ROLE;
	r->role.items[who] = first;
	r->taken.items[first] = who;
}

/* "p1/worker#2": compares everything before the number; main has none. */
static bool same_start(const char *a, const char *b)
{
	const char *end = strrchr(a, '#');
	size_t length = end ? (size_t)(end - a) : 0;

	return length && strncmp(a, b, length + 1) == 0 && strrchr(b, '#') == b + length;
}

static bool parts(const char *pattern, const char *a, const char *b)
{
	return pattern && str_wildcard(pattern, a) != str_wildcard(pattern, b);
}

/* Names that the program sets belong to the role, whichever thread has it. */
static bool told_apart(struct engine *e, const char *a, const char *b)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(e, i)); i++) {
		if (parts(p->thread, a, b))
			return true;
		array_each(const struct step, step, &p->steps)
			if (parts(step->thread, a, b))
				return true;
	}
	return false;
}

bool order_roles_match(struct order_roles *r, struct engine *e, const struct engine_thread *t,
		       uint32_t who, const char *first_id, uint32_t first)
{
	uint32_t role = order_roles_of(r, who);

	if (who != first && t->identified)
		return false;
	if (role != ORDER_NO_ROLE)
		return role == first;
	if (taken_by(r, first) != ORDER_NO_ROLE)
		return false;
	if (who != first && (!same_start(t->id, first_id) || told_apart(e, t->id, first_id)))
		return false;
	bind(r, who, first);
	return true;
}
