/* Results of tests: report.json of a search, and result.json, by which a suite is taken up. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/file.h"
#include "tracer/base/hash.h"
#include "tracer/base/text/json_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERDICT_WORD(name, word) word,
static const char *const words[] = {SUITE_VERDICTS(VERDICT_WORD)};

const char *suite_verdict_word(enum suite_verdict verdict)
{
	return words[verdict];
}

void suite_path(const struct suite *s, const struct suite_test *test, const char *name,
		struct str *out)
{
	str_addf(out, "%s/%s%s%s", s->output, test->folder, *name ? "/" : "", name);
}

/* Returns the JSON of a file in the test's folder; false if there is none. */
static bool read_file(const struct suite *s, const struct suite_test *test, const char *name,
		      struct json_value *out)
{
	ERROR(err);
	STR(path);

	suite_path(s, test, name, &path);
	OWNED(text) = file_read(str_text(&path), &err);
	return text && json_read(text, out, &err) == 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static uint64_t hash_texts(uint64_t hash, const struct suite_texts *texts)
{
	hash = hash_word(hash, texts->count);
	array_each(char *const, text, texts)
		hash = hash_word(hash_text(hash, *text), 0);
	return hash;
}

/* Adds size and time of the program's file, which change when it is built anew. */
static uint64_t hash_file(uint64_t hash, const struct suite_test *test)
{
	struct stat file;
	STR(path);

	if (!test->argv.items[0])
		return hash;
	if (test->dir && test->argv.items[0][0] != '/')
		str_addf(&path, "%s/", test->dir);
	str_add(&path, test->argv.items[0]);
	if (stat(str_text(&path), &file) < 0)
		return hash;
	hash = hash_word(hash, (uint64_t)file.st_size);
	hash = hash_word(hash, (uint64_t)file.st_mtim.tv_sec);
	return hash_word(hash, (uint64_t)file.st_mtim.tv_nsec);
}

uint64_t suite_key(const struct suite *s, const struct suite_test *test)
{
	const struct suite_expects *x = &test->expects;
	uint64_t hash = hash_word(HASH_START, s->digest);
	STR(script);

	hash = hash_texts(hash, &test->argv);
	hash = hash_texts(hash, &test->env);
	hash = hash_text(hash, test->dir);
	hash = hash_text(hash_word(hash, x->will_fail), test->not_run);
	suite_script(test, &script);
	hash = hash_text(hash, str_text(&script));
	return hash_file(hash, test);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_optional(struct json *j, const char *name, const char *text)
{
	if (text)
		json_string(j, name, text);
}

void suite_result_write(const struct suite_result *r, struct json *j)
{
	json_string(j, "verdict", suite_verdict_word(r->verdict));
	json_integer(j, "threads", (long long)r->threads);
	json_integer(j, "schedules", (long long)r->schedules);
	json_integer(j, "distinct", (long long)r->distinct);
	json_integer(j, "failures", (long long)r->failures);
	json_integer(j, "status", r->status);
	json_number(j, "seconds", r->seconds);
	json_integer(j, "bare_runs", r->bare_runs);
	json_integer(j, "bare_failed", r->bare_failed);
	json_number(j, "bare_seconds", r->bare_s);
	json_bool(j, "time_related", r->is_timed);
	add_optional(j, "kind", r->kind);
	add_optional(j, "where", r->where);
	add_optional(j, "needs", r->needs);
	add_optional(j, "text", r->text);
	add_optional(j, "script", r->script);
	add_optional(j, "folder", r->failure_folder);
	add_optional(j, "reason", r->reason);
}

int suite_result_save(const struct suite *s, const struct suite_test *test,
		      const struct suite_result *r, struct error *err)
{
	struct json j = {0};
	STR(path);
	STR(key);
	int failed;

	suite_path(s, test, "result.json", &path);
	str_addf(&key, "%016" PRIx64, suite_key(s, test));
	json_object(&j, NULL);
	json_string(&j, "test", test->name);
	json_string(&j, "key", str_text(&key));
	suite_result_write(r, &j);
	json_end_object(&j);
	str_add(&j.out, "\n");
	failed = file_replace(str_text(&path), str_text(&j.out), err);
	json_fini(&j);
	return failed;
}

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned long count_member(const struct json_value *v, const char *name)
{
	double number = json_member_number(v, name, 0);

	return number > 0 ? (unsigned long)number : 0;
}

static char *copy_member(const struct json_value *v, const char *name)
{
	const char *text = json_member_text(v, name);

	return text ? base_strdup(text) : NULL;
}

static void take_failure(const struct json_value *from, struct suite_result *r)
{
	r->kind = copy_member(from, "kind");
	r->where = copy_member(from, "where");
	r->text = copy_member(from, "text");
	r->script = copy_member(from, "script");
	r->failure_folder = copy_member(from, "folder");
	r->is_timed = json_member_number(from, "time_related", 0) != 0;
	r->needs = copy_member(from, "needs");
}

static void take_counts(const struct json_value *from, struct suite_result *r)
{
	r->threads = count_member(from, "threads");
	r->schedules = count_member(from, "schedules");
	r->distinct = count_member(from, "distinct");
	r->status = (int)json_member_number(from, "status", 0);
	r->unended = count_member(from, "cut") + count_member(from, "late");
	r->seconds = json_member_number(from, "seconds", 0);
}

bool suite_result_search(const struct suite *s, const struct suite_test *test,
			 struct suite_result *r)
{
	const struct json_value *failures, *chosen = NULL;
	struct json_value json;

	if (!read_file(s, test, "report.json", &json))
		return false;
	take_counts(&json, r);
	failures = json_member(&json, "failures");
	r->failures = failures ? failures->count : 0;
	/* one that needs no pause of a thread, if there is one */
	for (size_t i = r->failures; i-- > 0;)
		if (!chosen || json_member_number(chosen, "time_related", 0) != 0 ||
		    json_member_number(&failures->items[i], "time_related", 0) == 0)
			chosen = &failures->items[i];
	if (chosen)
		take_failure(chosen, r);
	json_value_fini(&json);
	return true;
}

static bool take_verdict(const char *word, enum suite_verdict *out)
{
	for (int i = 0; word && i < SUITE_VERDICT_KINDS; i++)
		if (strcmp(words[i], word) == 0) {
			*out = (enum suite_verdict)i;
			return true;
		}
	return false;
}

bool suite_result_load(const struct suite *s, const struct suite_test *test, struct suite_result *r)
{
	struct json_value json;
	const char *key;
	bool is;

	if (!read_file(s, test, "result.json", &json))
		return false;
	key = json_member_text(&json, "key");
	is = key && strtoull(key, NULL, 16) == suite_key(s, test) &&
	     take_verdict(json_member_text(&json, "verdict"), &r->verdict);
	if (is) {
		take_counts(&json, r);
		take_failure(&json, r);
		r->failures = count_member(&json, "failures");
		r->bare_runs = (unsigned)count_member(&json, "bare_runs");
		r->bare_failed = (unsigned)count_member(&json, "bare_failed");
		r->bare_s = json_member_number(&json, "bare_seconds", 0);
		r->reason = copy_member(&json, "reason");
		r->is_earlier = true;
	}
	json_value_fini(&json);
	return is;
}

void suite_result_fini(struct suite_result *r)
{
	base_free(r->kind);
	base_free(r->where);
	base_free(r->needs);
	base_free(r->text);
	base_free(r->script);
	base_free(r->failure_folder);
	base_free(r->reason);
	*r = (struct suite_result){0};
}
