/* Targets that units are compiled for. */
#include "tracer/audit/frontend/program.h"

#include "tracer/base/text/str.h"

#include <string.h>

/* Length of "src/CMakeFiles/x.dir/" in "src/CMakeFiles/x.dir/y.c.o". */
static size_t folder_of_target(const char *object)
{
	static const char *const ends[] = {".dir/", ".p/"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const char *at = strstr(object, ends[i]);

		if (at)
			return (size_t)(at - object) + strlen(ends[i]);
	}
	return 0;
}

/* Length of "x-" in the name "x-y.o", for y.c. Objects of one target may lie in several folders. */
static size_t prefix_of_target(const char *base, const char *source)
{
	const char *stem = str_base_name(source), *dot = strrchr(base, '.');
	size_t length = strcspn(stem, "."), whole = dot ? (size_t)(dot - base) : strlen(base);

	if (whole <= length + 1 || strncmp(base + whole - length, stem, length) != 0 ||
	    base[whole - length - 1] != '-')
		return 0;
	return whole - length;
}

char *targets_of_object(const char *folder, const char *object, const char *source)
{
	size_t length = folder_of_target(object);
	struct str name = {0};

	if (!length) {
		object = str_base_name(object);
		length = prefix_of_target(object, source);
	}
	if (!length)
		return NULL;
	str_addf(&name, "%s/", folder ? folder : "");
	str_add_bytes(&name, object, length);
	return str_take(&name);
}

static unsigned target_named(struct audit_program *p, unsigned name)
{
	unsigned known = name ? number_map_get(&p->targets.of_name, name) : 0;

	if (known)
		return known - 1;
	p->targets.count++;
	if (name)
		number_map_set(&p->targets.of_name, name, p->targets.count);
	return p->targets.count - 1;
}

void targets_add(struct audit_program *p, unsigned unit, const char *target)
{
	unsigned index = target_named(p, interned_add(&p->names, target));
	struct audit_unit *u = &p->sources.items[unit - 1];

	array_each(const unsigned, known, &u->targets)
		if (*known == index)
			return;
	*array_add(&u->targets) = index;
}

unsigned targets_add_unit(struct audit_program *p)
{
	(void)array_add(&p->sources);
	return (unsigned)p->sources.count;
}

static void set_apart(struct audit_program *p, const struct audit_unit *a,
		      const struct audit_unit *b)
{
	const size_t count = p->targets.count;

	array_each(const unsigned, x, &a->targets)
		array_each(const unsigned, y, &b->targets)
			if (*x != *y)
				p->targets.apart[*x * count + *y] =
					p->targets.apart[*y * count + *x] = true;
}

static int by_function(const void *a, const void *b)
{
	const struct audit_definition *x = a, *y = b;

	if (x->usr != y->usr)
		return x->usr < y->usr ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

void targets_settle(struct audit_program *p)
{
	const struct audit_definition *all;

	array_each(struct audit_unit, u, &p->sources)
		if (!u->targets.count)
			*array_add(&u->targets) = target_named(p, 0);
	p->targets.apart = base_alloc((size_t)p->targets.count * p->targets.count + 1,
				      sizeof(*p->targets.apart));
	array_sort(&p->definitions, by_function);
	all = p->definitions.items;
	for (size_t i = 0, end; i < p->definitions.count; i = end) {
		for (end = i + 1; end < p->definitions.count && all[end].usr == all[i].usr;)
			end++;
		for (size_t x = i; x < end; x++)
			for (size_t y = x; y < end; y++)
				set_apart(p, &p->sources.items[all[x].unit - 1],
					  &p->sources.items[all[y].unit - 1]);
	}
}

bool targets_are_apart(const struct audit_program *p, unsigned target, unsigned other)
{
	return p->targets.apart[(size_t)target * p->targets.count + other];
}

static bool are_together(const struct audit_program *p, unsigned unit, unsigned other)
{
	if (!unit || !other || unit == other)
		return true;
	array_each(const unsigned, x, &p->sources.items[unit - 1].targets)
		array_each(const unsigned, y, &p->sources.items[other - 1].targets)
			if (!targets_are_apart(p, *x, *y))
				return true;
	return false;
}

bool targets_share(const struct audit_program *p, unsigned unit, unsigned other)
{
	if (!unit || !other)
		return true;
	array_each(const unsigned, x, &p->sources.items[unit - 1].targets)
		array_each(const unsigned, y, &p->sources.items[other - 1].targets)
			if (*x == *y)
				return true;
	return false;
}

unsigned targets_function(const struct audit_program *p, unsigned usr, unsigned from)
{
	const unsigned first = number_map_get(&p->function_of, usr);

	for (unsigned at = first; at; at = p->functions.items[at - 1].next)
		if (are_together(p, p->functions.items[at - 1].unit, from))
			return at;
	return first;
}

bool targets_is_named(const struct audit_program *p, unsigned target)
{
	return target < p->targets.of_name.count;
}

void targets_fini(struct audit_program *p)
{
	array_each(struct audit_unit, u, &p->sources)
		array_fini(&u->targets);
	array_fini(&p->sources);
	array_fini(&p->definitions);
	number_map_fini(&p->targets.of_name);
	base_free(p->targets.apart);
}
