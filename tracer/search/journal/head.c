#include "tracer/search/journal/head.h"

#include "tracer/base/hash.h"
#include "tracer/run/modules/images.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char version[] = "gatectl search 7";

/* The file as it is, whenever it was built. 0: it cannot be read. */
static uint64_t digest_of(const char *path)
{
	uint64_t words[8192], digest = HASH_START;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, words, sizeof(words))) > 0) {
		memset((char *)words + n, 0, -(size_t)n % sizeof(*words));
		for (size_t i = 0; i * sizeof(*words) < (size_t)n; i++)
			digest = hash_word(digest, words[i]);
	}
	close(fd);
	return digest;
}

static void add_program(const struct run_options *o, struct record *r)
{
	char path[PATH_MAX];
	bool found = images_find_program(o->argv[0], path, sizeof(path));
	size_t count = 0;

	while (o->argv[count])
		count++;
	record_add(r, count);
	for (size_t i = 0; i < count; i++)
		record_add_text(r, o->argv[i]);
	record_add(r, digest_of(found ? path : NULL));
}

static void add_gates(const struct run_options *o, struct record *r)
{
	record_add(r, o->scripts.count);
	array_each(const char *const, script, &o->scripts)
		record_add(r, digest_of(*script));
	record_add(r, o->orders.count);
	array_each(const char *const, order, &o->orders)
		record_add_text(r, *order);
}

void explore_head_write(const struct explore *e, struct record *r)
{
	const struct explore_options *o = &e->options;

	record_begin(r, RECORD_HEAD);
	record_add_text(r, version);
	record_add_text(r, o->strategy);
	record_add(r, o->seed);
	record_add(r, o->steps);
	record_add(r, o->shards);
	add_program(e->x.options, r);
	add_gates(e->x.options, r);
	record_add(r, (uint64_t)o->depth << 32 | o->bound);
	record_add(r, o->points);
	for (int fd = 0; fd < 3; fd++)
		record_add(r, e->x.options->kinds[fd]);
	record_add_text(r, o->location);
	record_add_text(r, o->from);
	record_add(r, o->shard);
}

static bool head_is_ours(struct record *r)
{
	char *text = record_get(r) == RECORD_HEAD ? record_get_text(r) : NULL;
	bool is = text && strcmp(text, version) == 0;

	base_free(text);
	return is;
}

/* The name as strategy_new() has it: nobody owns that one. */
static const char *known_strategy(char *name)
{
	const char *known = NULL;

	for (size_t i = 0; name && !known && strategy_name(i); i++)
		if (strcmp(strategy_name(i), name) == 0)
			known = strategy_name(i);
	base_free(name);
	return known;
}

bool explore_head_read(struct record *r, struct explore_options *o, struct explore_args *args)
{
	if (!head_is_ours(r))
		return false;
	o->strategy = known_strategy(record_get_text(r));
	o->seed = record_get(r);
	o->steps = record_get(r);
	o->shards = (unsigned)record_get(r);
	for (uint64_t n = record_get(r); n-- && !r->bad;) {
		char *arg = record_get_text(r);

		*array_add(args) = arg ? arg : base_strdup("");
	}
	if (r->bad || r->bytes.length - r->at < sizeof(uint64_t))
		return false;
	r->at = r->bytes.length - sizeof(uint64_t);
	o->shard = (unsigned)record_get(r);
	return o->strategy && args->count;
}
