/* A strategy in Lua over made-up programs: its view, its means, and its faults. */
#include "explore_program.h"

#include "tracer/base/text/str.h"
#include "tracer/sched/scripted/scripted.h"
#include "tracer/sched/strategy/strategy.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	struct strategy *s; /* NULL: the file is faulty */
	struct error err;
	struct str printed;
	unsigned described;
};

static void note_line(void *ctx, const char *line)
{
	str_addf(&((struct fixture *)ctx)->printed, "%s\n", line);
}

static void describe(void *ctx, const struct strategy_point *p, struct schedule_where *where)
{
	((struct fixture *)ctx)->described++;
	if (p->object == STRATEGY_NO_OBJECT)
		return;
	*where = (struct schedule_where){
		.file = "calc.c", .line = (unsigned)p->place + 1, .func = "add"};
}

static const char *thread(void *ctx, const struct strategy_point *p)
{
	(void)ctx;
	return p->thread ? "worker#1" : "main";
}

static const char *name(void *ctx, const struct strategy_point *p)
{
	static char var[2];

	((struct fixture *)ctx)->described++;
	var[0] = (char)p->object;
	return p->object == STRATEGY_NO_OBJECT ? NULL : var;
}

static void load_seeded(struct fixture *f, const char *text, uint64_t seed)
{
	FILE *out = fopen("s.lua", "w");
	struct scripted_host host = {f, note_line, describe, thread, name, &f->err};

	assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
	*f = (struct fixture){0};
	f->s = scripted_new("s.lua", seed, &host);
	assert_true(!f->s == !!f->err.code);
}

static void load(struct fixture *f, const char *text)
{
	load_seeded(f, text, 1);
}

static void fini(struct fixture *f)
{
	strategy_free(f->s);
	error_fini(&f->err);
	str_fini(&f->printed);
}

static const struct program two = {{"lmrxumwx", "--rxlmum"}};

/* ---- choosing -------------------------------------------------------------------------------- */

static void test_chooses(void **state)
{
	struct fixture f;
	struct world w;

	(void)state;
	load(&f, "strategy { choose = function(points) return #points end }");
	assert_int_equal(strategy_memory(f.s), STRATEGY_MEMORY_ALL);
	assert_int_equal(world_run(&w, &two, f.s, 0), ALL_DONE);
	assert_string_equal(w.schedule, "BBBBAAAA");
	assert_false(strategy_is_done(f.s));
	fini(&f);
	/* Chooses by op, location and run; keeps state between calls. */
	load(&f,
	     "local turns, runs = 0, 0\n"
	     "strategy {\n"
	     "  start = function(run) runs = runs + 1; assert(run == runs - 1); turns = 0 end,\n"
	     "  choose = function(points)\n"
	     "    turns = turns + 1\n"
	     "    if runs == 1 then return (turns - 1) % #points + 1 end\n"
	     "    for i, p in ipairs(points) do if p.op == 'read' and p.var == 'x' then return i "
	     "end "
	     "end\n"
	     "    return 1.0\n"
	     "  end }");
	assert_int_equal(world_run(&w, &two, f.s, 0), ALL_DONE);
	assert_string_equal(w.schedule, "ABABABAB");
	assert_int_equal(world_run(&w, &two, f.s, 1), ALL_DONE);
	assert_string_equal(w.schedule, "AAAABBBB");
	fini(&f);
}

static void test_sees(void **state)
{
	struct fixture f;
	struct world w;

	(void)state;
	load(&f, "strategy { choose = function(points)\n"
		 "  for _, p in ipairs(points) do print(p.thread, p.number, p.op, p.object) end\n"
		 "  return 1 end }");
	assert_int_equal(world_run(&w, &(struct program){{"wxs1"}}, f.s, 0), RAN_OUT);
	assert_memory_equal(str_text(&f.printed), "main\t0\twrite\t120\nmain\t0\tread\t49\n", 32);
	assert_int_equal(f.described, 0); /* no description was read */
	fini(&f);
	load(&f, "strategy { choose = function(points)\n"
		 "  local p = points[1]\n"
		 "  print(p.file, p.line, p.func, p.var)\n"
		 "  return 1 end }");
	assert_int_equal(world_run(&w, &(struct program){{"rx--"}}, f.s, 0), ALL_DONE);
	assert_string_equal(str_text(&f.printed), "calc.c\t1\tadd\tx\nnil\tnil\tnil\tnil\n");
	assert_int_equal(f.described, 8);
	fini(&f);
}

/* math.random depends on seed and run only, not on earlier runs. */
static void test_random(void **state)
{
	static const char dice[] =
		"strategy { choose = function(points) return math.random(#points) end }";
	static const struct program p = {{"--------------------", "--------------------"}};
	struct fixture a, b, other;
	struct world w, again, else_;

	(void)state;
	load_seeded(&a, dice, 5);
	load_seeded(&b, dice, 5);
	load_seeded(&other, dice, 6);
	world_run(&w, &p, a.s, 0);
	world_run(&w, &p, a.s, 1);
	world_run(&again, &p, b.s, 1);
	assert_string_equal(w.schedule, again.schedule);
	world_run(&else_, &p, a.s, 2);
	assert_string_not_equal(w.schedule, else_.schedule);
	world_run(&else_, &p, other.s, 1);
	assert_string_not_equal(w.schedule, else_.schedule);
	fini(&a);
	fini(&b);
	fini(&other);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void refused(const char *text, const char *message)
{
	struct fixture f;

	load(&f, text);
	if (f.s || f.err.code != ERROR_SCRIPT || !str_wildcard(message, error_text(&f.err)) ||
	    !str_wildcard("*gatectl-explore(1)*", f.err.hint))
		fail_msg("%s: '%s', not '%s'", text, error_text(&f.err), message);
	fini(&f);
}

/* A fault stops the run and ends the search for good. */
static void stops(const char *text, const char *message)
{
	struct fixture f;
	struct world w;

	load(&f, text);
	assert_non_null(f.s);
	assert_int_equal(world_run(&w, &two, f.s, 0), STOPPED);
	assert_true(strategy_is_done(f.s));
	if (f.err.code != ERROR_SCRIPT || !str_wildcard(message, error_text(&f.err)))
		fail_msg("%s: '%s', not '%s'", text, error_text(&f.err), message);
	assert_int_equal(world_run(&w, &two, f.s, 1), STOPPED);
	assert_int_equal(w.moves, 0);
	assert_true(strategy_is_done(f.s));
	fini(&f);
}

static void test_refused(void **state)
{
	(void)state;
	refused("", "s.lua:1: there is no strategy*");
	refused("\n\nstrategy {", "s.lua:3: *");
	refused("strategy {}", "s.lua:1: strategy: choose has to be a function, not nil");
	refused("\nstrategy { choose = 7 }", "s.lua:2: *choose has to be a function, not a number");
	refused("strategy { start = 1, choose = print }", "s.lua:1: *start has to be a function*");
	refused("strategy { choose = print, stop = print }", "s.lua:1: *no field 'stop'*");
	refused("strategy(3)", "s.lua:1: strategy: expected a table, got a number");
	refused("strategy { choose = print }\nstrategy { choose = print }",
		"s.lua:2: *the script has a strategy already");
	refused("strategy { choose = print }\nos.exit()", "s.lua:2: undefined name 'os'*");
	refused("SimpleGate 'g'", "s.lua:1: undefined name 'SimpleGate'*");
	refused("while true do end", "s.lua:1: *more than a second");
}

static void test_no_file(void **state)
{
	ERROR(err);
	struct scripted_host host = {.err = &err};

	(void)state;
	assert_true(scripted_is_file("a.lua") && !scripted_is_file("pos") &&
		    !scripted_is_file(".lua"));
	assert_null(scripted_new("nowhere.lua", 1, &host));
	assert_string_equal(err.hint,
			    "give the name of a strategy, or of a Lua file that contains one");
	assert_string_equal(error_text(&err),
			    "nowhere.lua: cannot open: No such file or directory");
}

static void test_stops(void **state)
{
	(void)state;
	stops("strategy {\nchoose = function() end }", "s.lua:2: choose *from 1 to 2, not nil");
	stops("strategy { choose = function() return 3 end }",
	      "s.lua:1: choose *from 1 to 2, not 3");
	stops("strategy { choose = function() return 0 end }", "s.lua:1: choose *not 0");
	stops("strategy { choose = function() return 1.5 end }", "s.lua:1: choose *not 1.5");
	stops("strategy { choose = function(p)\n return p[1].colour end }",
	      "s.lua:2: no field 'colour' in a point; fields are thread, number, op, object, *");
	stops("strategy { choose = function(p)\n p[1].op = 1 end }", "s.lua:2: op *cannot be set");
	stops("local old\nstrategy { choose = function(p)\n old = old or p[1]\n print(old.op)\n"
	      "return 1 end }",
	      "s.lua:4: this point is no longer valid*");
	stops("strategy {\nstart = function(run) error('no ' .. run) end, choose = print }",
	      "s.lua:2: no 0");
	stops("strategy { choose = function()\n while true do end end }",
	      "s.lua:2: *more than a second");
}

/* ---- callbacks ------------------------------------------------------------------------------- */

struct counts {
	unsigned begun, freed;
};

static void count_begin(void *ctx, uint64_t run)
{
	((struct counts *)ctx)->begun += (unsigned)run;
}

static void count_fini(void *ctx)
{
	((struct counts *)ctx)->freed++;
}

static size_t choose_first(void *ctx, const struct strategy_point *points, size_t count)
{
	(void)ctx;
	(void)points;
	(void)count;
	return 0;
}

static void test_callbacks(void **state)
{
	struct counts counts = {0};
	struct strategy *s = strategy_custom_new(&(struct strategy_callbacks){
		&counts, STRATEGY_MEMORY_NONE, count_begin, choose_first, count_fini});
	struct world w;

	(void)state;
	assert_int_equal(strategy_memory(s), STRATEGY_MEMORY_NONE);
	assert_int_equal(world_run(&w, &two, s, 5), ALL_DONE);
	assert_string_equal(w.schedule, "AAAABBBB");
	strategy_free(s);
	assert_true(counts.begun == 5 && counts.freed == 1);
	s = strategy_custom_new(&(struct strategy_callbacks){.choose = choose_first});
	assert_int_equal(world_run(&w, &two, s, 0), ALL_DONE);
	strategy_free(s);
}

static int enter_directory(void **state)
{
	static char path[] = "/tmp/gatectl-scripted-XXXXXX";

	*state = mkdtemp(path);
	return *state && chdir(*state) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	return unlink("s.lua") == 0 && chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chooses),	  cmocka_unit_test(test_sees),
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_file),	  cmocka_unit_test(test_stops),
		cmocka_unit_test(test_callbacks),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
