/* explore --merge: joins the journals of the parts of one search. */
#include "tracer/search/search_internal.h"

#include <glob.h>
#include <string.h>

struct search_part {
	struct explore_journal journal;
	unsigned number;
	struct explore_outcome next;
	bool has_next;
};

struct merging {
	struct explore *e;
	struct explore_statistics statistics;
	struct explore_args *args; /* of the first part */
	struct str head;	   /* header of the first part, without its number */
	ARRAY(struct search_part) parts;
	struct error *err;
};

/* ---- reading the parts ----------------------------------------------------------------------- */

static int differs(const struct merging *m, const struct search_part *p)
{
	error_set(m->err, ERROR_USAGE, "--merge: %s is not of the search that %s is of",
		  str_text(&p->journal.path), str_text(&m->parts.items[0].journal.path));
	return error_hint(m->err,
			  "parts of one search have the same program, gates and options, but for "
			  "--shard, -o and -j");
}

static int twice(const struct merging *m, const struct search_part *p,
		 const struct search_part *other)
{
	return error_set(m->err, ERROR_USAGE, "--merge: %s and %s are both part %u of %u",
			 str_text(&other->journal.path), str_text(&p->journal.path), p->number,
			 m->e->options.shards);
}

static int merge_check(struct merging *m, const struct search_part *p, const struct str *head)
{
	if (!m->head.length)
		str_add_bytes(&m->head, head->text, head->length);
	else if (m->head.length != head->length ||
		 memcmp(m->head.text, head->text, head->length) != 0)
		return differs(m, p);
	array_each(const struct search_part, other, &m->parts)
		if (other != p && other->number == p->number)
			return twice(m, p, other);
	return 0;
}

static int read_part(struct merging *m, const char *path)
{
	struct search_part *p = array_add(&m->parts);
	struct explore_options options = m->e->options;
	struct explore_args args = {0};
	STR(head);
	int answer = explore_journal_read(&p->journal, path, &options, &args, &head, m->err);

	p->number = options.shard;
	if (answer == 0 && !m->args->count) {
		m->e->options = options;
		*m->args = args;
		args = (struct explore_args){0};
	}
	if (answer == 0)
		answer = merge_check(m, p, &head);
	array_each(char *, arg, &args)
		base_free(*arg);
	array_fini(&args);
	return answer;
}

/* Reads all journals of a folder, which several parts may share. */
static int read_folder(struct merging *m, const char *folder)
{
	STR(pattern);
	glob_t found = {0};
	int answer = 0;

	for (const char *c = folder; *c; c++)
		str_addf(&pattern, "\\%c", *c);
	str_add(&pattern, "/search*");
	if (glob(pattern.text, 0, NULL, &found) != 0) {
		error_set(m->err, ERROR_USAGE, "--merge: %s: there is no journal of a search",
			  folder);
		answer = error_hint(m->err, "gatectl explore --shard K/N -o %s ... writes one",
				    folder);
	}
	for (size_t i = 0; answer == 0 && i < found.gl_pathc; i++)
		answer = read_part(m, found.gl_pathv[i]);
	globfree(&found);
	return answer;
}

/* ---- runs of the parts ----------------------------------------------------------------------- */

static void read_next(struct merging *m, struct search_part *p)
{
	p->has_next = explore_journal_next(&p->journal, m->e, &p->next);
}

/* Order of runs in an undivided search: runs that find races first, then by number. */
static bool merge_is_before(const struct explore_outcome *a, const struct explore_outcome *b)
{
	return a->early != b->early ? a->early : a->run < b->run;
}

static struct search_part *first(struct merging *m)
{
	struct search_part *first = NULL;

	array_each(struct search_part, p, &m->parts)
		if (p->has_next && (!first || merge_is_before(&p->next, &first->next)))
			first = p;
	return first;
}

static void count_all(struct merging *m)
{
	struct explore *e = m->e;
	struct search_part *p;

	array_each(struct search_part, each, &m->parts)
		read_next(m, each);
	while ((p = first(m))) {
		double at = (double)p->next.at_us / 1e6;

		e->seconds = at > e->seconds ? at : e->seconds;
		explore_count(&m->statistics, &p->next);
		explore_outcome_fini(&p->next);
		read_next(m, p);
	}
}

/* ---- incomplete and missing parts ------------------------------------------------------------ */

static const struct search_part *merge_part_of(const struct merging *m, unsigned number)
{
	array_each(const struct search_part, p, &m->parts)
		if (p->number == number)
			return p;
	return NULL;
}

static void note_lacks(struct merging *m)
{
	unsigned shards = m->e->options.shards;

	for (unsigned k = 1; k <= shards; k++) {
		const struct search_part *p = merge_part_of(m, k);
		struct str text = {0};

		if (p && p->journal.over)
			continue;
		if (p)
			str_addf(&text,
				 "part %u of %u is not complete: the same command again continues "
				 "it in %s",
				 k, shards, str_text(&p->journal.path));
		else
			str_addf(&text, "part %u of %u is missing", k, shards);
		*array_add(&m->e->lacks) = str_take(&text);
	}
}

int explore_merge(struct explore *e, char *const *folders, size_t count, struct explore_args *args,
		  struct error *err)
{
	struct merging m = {.e = e, .statistics = {.e = e}, .args = args, .err = err};
	int answer = 0;

	for (size_t i = 0; answer == 0 && i < count; i++)
		answer = read_folder(&m, folders[i]);
	if (answer == 0) {
		count_all(&m);
		note_lacks(&m);
	}
	array_each(struct search_part, p, &m.parts)
		explore_journal_fini(&p->journal);
	array_fini(&m.parts);
	str_fini(&m.head);
	table_fini(&m.statistics.seen);
	return answer;
}
