/* For tests of lua/: a script from text, in its own directory, with an engine to drive. */
#ifndef GATECTL_TEST_LUA_H
#define GATECTL_TEST_LUA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lua/script.h"
#include "tracer/base/text/str.h"

struct fixture {
	struct engine *engine;
	struct plan plan;
	struct script *script;
	struct str printed; /* lines of print(), each with a newline */
	struct error err;
};

static inline void fixture_print(void *ctx, const char *line)
{
	struct fixture *f = ctx;

	str_addf(&f->printed, "%s\n", line);
}

static inline void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
	assert_int_equal(fclose(out), 0);
}

/* `program` may be NULL: no program for the script to inspect. */
static inline void fixture_init_program(struct fixture *f, const struct script_program *program)
{
	memset(f, 0, sizeof(*f));
	struct script_host host = {.ctx = f, .print = fixture_print};

	if (program)
		host.program = *program;

	f->plan.limits.gate = f->plan.limits.run = -1;
	f->engine = engine_new(&(struct engine_world){0});
	f->script = script_new(f->engine, &f->plan, &host);
}

static inline void fixture_init(struct fixture *f)
{
	fixture_init_program(f, NULL);
}

static inline int fixture_load(struct fixture *f, const char *text)
{
	write_file("t.lua", text);
	return script_load(f->script, "t.lua", &f->err);
}

static inline void fixture_load_ok(struct fixture *f, const char *text)
{
	if (fixture_load(f, text) != 0)
		fail_msg("%s", f->err.text);
}

static inline void fixture_fini(struct fixture *f)
{
	script_free(f->script);
	engine_free(f->engine);
	array_each(char *, s, &f->plan.expect.stdout_has)
		base_free(*s);
	array_each(char *, s, &f->plan.expect.stderr_has)
		base_free(*s);
	array_fini(&f->plan.expect.stdout_has);
	array_fini(&f->plan.expect.stderr_has);
	str_fini(&f->printed);
	error_fini(&f->err);
}

/* True if loading the text gives the fault; * and ? in the message are wildcards. */
static inline bool gives_fault(const char *text, const char *message)
{
	struct fixture f;
	bool right;

	fixture_init(&f);
	right = fixture_load(&f, text) == -1 && f.err.code == ERROR_SCRIPT &&
		str_wildcard(message, f.err.text);
	if (!right)
		print_error("in: %s\n  is:       %s\n  expected: %s\n", text, f.err.text, message);
	fixture_fini(&f);
	return right;
}

static inline void expect_fault(const char *text, const char *message)
{
	assert_true(gives_fault(text, message));
}

/* ---- a program played by the test ---- */

static inline struct engine_thread *thread_new(struct fixture *f, const char *id, int tid)
{
	return engine_thread_new(f->engine, id, "worker", tid);
}

static inline void arrive(struct fixture *f, struct engine_thread *t, size_t place)
{
	struct place *p = engine_place_at(f->engine, place);
	struct arrival a = {.thread = t, .file = "calc.c", .line = 7, .func = "add"};

	assert_non_null(p);
	engine_arrive(f->engine, &p, 1, &a);
}

/* Decisions since the last call: "release worker#1; log text; opened g; fault ...; " */
static inline const char *decided(struct fixture *f)
{
	static char out[8192];
	struct decision d;
	size_t n = 0;

	out[0] = '\0';
	while (engine_next(f->engine, &d)) {
		const char *word = NULL, *what = d.thread ? d.thread->id : "nobody";

		switch (d.kind) {
		case DECISION_RELEASE:
			word = "release";
			break;
		case DECISION_HOLD:
			word = "hold";
			break;
		case DECISION_KILL:
			word = "kill";
			break;
		case DECISION_LOG:
			word = "log";
			what = d.text;
			break;
		case DECISION_OPENED:
			word = "opened";
			what = d.gate->name;
			break;
		case DECISION_FAULT:
			word = "fault";
			what = d.error->text;
			break;
		default:
			break;
		}
		if (word)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s %s; ", word, what);
	}
	return out;
}

static inline int enter_directory(void **state)
{
	static char path[] = "/tmp/gatectl-lua-XXXXXX";

	*state = mkdtemp(path);
	return *state && chdir(*state) == 0 ? 0 : -1;
}

static inline int leave_directory(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#endif
