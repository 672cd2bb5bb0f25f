/* Orders: parsing, rejection, and what their gates force. */
#include "test_gates_drive.h"

static int finish(struct drive *d, const char *text, struct error *err)
{
	if (engine_order(d->e, text, "x.lua:5", err) < 0)
		return -1;
	return engine_orders_finish(d->e, err);
}

static void order(struct drive *d, const char *text)
{
	ERROR(err);

	if (finish(d, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void refused(const char *text, const char *what)
{
	ERROR(err);
	struct drive d;

	drive_begin(&d);
	if (finish(&d, text, &err) == 0)
		fail_msg("%s: was taken", text);
	assert_int_equal(err.code, ERROR_SCRIPT);
	assert_memory_equal(err.text, "x.lua:5: order: ", 16);
	if (!strstr(err.text, what))
		fail_msg("%s: %s", text, err.text);
	assert_null(engine_gate_at(d.e, 0));
	engine_free(d.e);
}

/* Checks the k-th place: LOCATION@THREAD: and a letter for each step. */
static void place_is(struct drive *d, size_t k, const char *text)
{
	static const char letters[] = "wo?RELKZSrW";
	struct place *p = engine_place_at(d->e, k);
	struct str s = {0};

	assert_non_null(p);
	str_addf(&s, "%s%s%s%s:", p->location, p->after ? "+" : "", p->thread ? "@" : "",
		 p->thread ? p->thread : "");
	for (size_t i = 0; i < p->steps.count; i++)
		str_addf(&s, "%c%s%s", letters[p->steps.items[i].kind],
			 p->steps.items[i].thread ? "@" : "",
			 p->steps.items[i].thread ? p->steps.items[i].thread : "");
	assert_string_equal(str_text(&s), text);
	str_fini(&s);
}

static void gate_is(struct drive *d, size_t k, const char *name)
{
	struct gate *g = engine_gate_at(d->e, k);

	assert_non_null(g);
	assert_string_equal(g->name, name);
	assert_true(g->from_order);
	assert_int_equal(g->kind, GATE_SIMPLE);
}

static void test_locations(void **state)
{
	struct engine_thread *t, *u;
	struct drive d;

	(void)state;
	drive_begin(&d);
	order(&d, "a.c:3 -> b.c:4");
	gate_is(&d, 0, "a.c:3 -> b.c:4");
	assert_null(engine_gate_at(d.e, 1));
	place_is(&d, 0, "a.c:3:E");
	place_is(&d, 1, "a.c:3+:o");
	place_is(&d, 2, "b.c:4:wE");
	assert_null(engine_place_at(d.e, 3));
	assert_string_equal(engine_place_at(d.e, 2)->source, "x.lua:5");
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	arrive(&d, u, engine_place_at(d.e, 2));
	decided(&d, "a:u@b.c:4 h:u:a.c:3 -> b.c:4");
	arrive(&d, t, engine_place_at(d.e, 0));
	decided(&d, "a:t@a.c:3 r:t"); /* reached is not yet executed */
	arrive(&d, t, engine_place_at(d.e, 1));
	decided(&d, "a:t@a.c:3+ o:a.c:3 -> b.c:4:t d:a.c:3 d:a.c:3+ r:t "
		    "p:u:a.c:3 -> b.c:4 d:b.c:4 r:u");
	engine_free(d.e);
}

static void test_chain_and_sharing(void **state)
{
	struct drive d;

	(void)state;
	drive_begin(&d);
	order(&d, " a->b\n ->c ,a -> d, a -> b ");
	order(&d, "d -> e, a -> b");
	gate_is(&d, 0, "a -> b");
	gate_is(&d, 1, "b -> c");
	gate_is(&d, 2, "a -> d");
	gate_is(&d, 3, "d -> e");
	assert_null(engine_gate_at(d.e, 4));
	place_is(&d, 0, "a:E");
	place_is(&d, 1, "a+:oo");
	place_is(&d, 2, "b:wE");
	place_is(&d, 3, "b+:o");
	place_is(&d, 4, "c:wE");
	place_is(&d, 5, "d:wE");
	place_is(&d, 6, "d+:o");
	place_is(&d, 7, "e:wE");
	assert_null(engine_place_at(d.e, 8));
	engine_free(d.e);
}

/* a is executed by the thread that arrived there: another thread's leaving does not count. */
static void test_executed_by_the_bound_thread(void **state)
{
	struct engine_thread *t, *u;
	struct place *p, *after;
	struct drive d;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	p = drive_place(&d, "A");
	step_text(p, STEP_EVENT, "first");
	p->hit_first = p->hit_last = 1;
	p->optional = true;
	order(&d, "first -> B");
	place_is(&d, 1, "A+:o");
	after = p->companion;
	assert_ptr_equal(after, engine_place_at(d.e, 1));
	assert_ptr_equal(after->companion_of, p);
	assert_true(after->optional);
	arrive(&d, t, p);
	arrive(&d, u, p); /* the second arrival is not the event */
	decided(&d, "a:t@A e:first d:A r:t a:u@A r:u");
	arrive(&d, u, after);
	decided(&d, "r:u");
	assert_int_equal(after->arrivals, 0);
	arrive(&d, t, after);
	decided(&d, "a:t@A+ o:first -> B:t d:A+ r:t");
	arrive(&d, t, after);
	decided(&d, "r:t");
	engine_free(d.e);
}

static void test_companion_is_not_missing(void **state)
{
	struct drive d;

	(void)state;
	drive_begin(&d);
	order(&d, "a -> b");
	assert_true(place_missing(engine_place_at(d.e, 0)));
	assert_false(place_missing(engine_place_at(d.e, 1)));
	arrive(&d, drive_thread(&d, "t"), engine_place_at(d.e, 0));
	assert_false(place_missing(engine_place_at(d.e, 0)));
	assert_false(place_missing(engine_place_at(d.e, 1)));
	engine_free(d.e);
}

/* Events are at their written position among the verbs. */
static void test_event_position(void **state)
{
	struct place *p, *x, *y;
	struct drive d;

	(void)state;
	drive_begin(&d);
	p = drive_place(&d, "A");
	step_text(p, STEP_LOG, "1");
	step_text(p, STEP_EVENT, "a");
	step_text(p, STEP_LOG, "2");
	x = engine_place(d.e, PLACE_THREAD_EXIT, "thread-exit", "x.lua:2");
	step_text(x, STEP_EVENT, "x");
	y = drive_place(&d, "Y");
	step_text(y, STEP_EVENT, "y");
	y->after = true;
	order(&d, "x -> a, y -> x, [a] -> Z");
	place_is(&d, 0, "A:LwEWL");
	place_is(&d, 1, "thread-exit:wEo");
	place_is(&d, 2, "Y+:Eo");
	place_is(&d, 3, "Z:wE");
	assert_null(engine_place_at(d.e, 4));
	engine_free(d.e);
}

static void test_event_of_several_places(void **state)
{
	struct drive d;

	(void)state;
	drive_begin(&d);
	step_text(drive_place(&d, "A"), STEP_EVENT, "e");
	step_text(drive_place(&d, "B"), STEP_EVENT, "e");
	step_text(drive_place(&d, "C"), STEP_EVENT, "other");
	order(&d, "e@main -> other@w*");
	place_is(&d, 0, "A:E");
	place_is(&d, 1, "B:E");
	place_is(&d, 2, "C:w@w*E");
	place_is(&d, 3, "A+:o@main");
	place_is(&d, 4, "B+:o@main");
	gate_is(&d, 0, "e@main -> other@w*");
	engine_free(d.e);
}

static void test_bound(void **state)
{
	struct engine_thread *t, *u;
	struct place *a, *after, *b;
	struct drive d;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "worker#1");
	u = drive_thread(&d, "worker#2");
	order(&d, "f@worker#1 -> f@worker#2");
	place_is(&d, 0, "f@worker#1:E");
	place_is(&d, 1, "f+@worker#1:o");
	place_is(&d, 2, "f@worker#2:wE");
	a = engine_place_at(d.e, 0);
	after = engine_place_at(d.e, 1);
	b = engine_place_at(d.e, 2);
	arrive2(&d, u, a, b);
	arrive2(&d, t, a, b);
	decided(&d, "a:worker#2@f h:worker#2:f@worker#1 -> f@worker#2 a:worker#1@f r:worker#1");
	arrive(&d, t, after);
	assert_false(is_held(&d, u));
	assert_int_equal(b->arrivals, 1);
	engine_free(d.e);
}

/* [c]: reached, and then blocked. */
static void test_blocked(void **state)
{
	struct engine_thread *t, *u;
	struct drive d;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	order(&d, "[ c @ t ] -> d, ['f;a[i]']@u->g");
	place_is(&d, 0, "c@t:EW");
	place_is(&d, 1, "d:wE");
	place_is(&d, 2, "f;a[i]@u:EW");
	place_is(&d, 3, "g:wE");
	gate_is(&d, 0, "[c@t] -> d");
	gate_is(&d, 1, "[f;a[i]@u] -> g");
	arrive(&d, u, engine_place_at(d.e, 1));
	arrive(&d, t, engine_place_at(d.e, 0));
	decided(&d, "a:u@d h:u:[c@t] -> d a:t@c r:t w:t");
	engine_blocked(d.e, t);
	decided(&d, "o:[c@t] -> d:t d:c p:u:[c@t] -> d d:d r:u");
	engine_free(d.e);
}

static void test_names(void **state)
{
	struct drive d;

	(void)state;
	drive_begin(&d);
	order(&d, "'f;q->n = 1' -> 'g;f(a, b)'@t, f;a[i] = 2 -> 'h;c = 'x'', 'libx@1!f'@m -> //M");
	place_is(&d, 0, "f;q->n = 1:E");
	place_is(&d, 2, "g;f(a, b)@t:wE");
	place_is(&d, 3, "f;a[i] = 2:E");
	place_is(&d, 5, "h;c = 'x':wE");
	place_is(&d, 6, "libx@1!f@m:E");
	place_is(&d, 8, "//M:wE");
	engine_free(d.e);
}

static void test_refused(void **state)
{
	(void)state;
	refused("", "a name is missing");
	refused("a", "an arrow -> is missing");
	refused("a ->", "a name is missing");
	refused("-> a", "a name is missing");
	refused("a -> b,", "a name is missing");
	refused("a -> b, c", "an arrow -> is missing");
	refused("a -> -> b", "a name is missing");
	refused("'a -> b", "a quote is not closed");
	refused("'' -> b", "a name is missing");
	refused("'a' b -> c", "a quote is not closed");
	refused("[a] b -> c", "a name is followed by something that is neither -> nor a comma");
	refused("[a -> b", "a ] is missing");
	refused("a] -> b", "a ] has no [");
	refused("[] -> b", "a name is missing");
	refused("a -> [b] -> c", "[] is on the right");
	refused("a@ -> b", "thread after @ is missing");
	refused("[a@t]@u -> b", "two threads");
	refused("a\n\33 ->", "a name is missing in \"a\\n\\x1b ->\"");
	refused("f;a\n+ c->n = 1 -> g", "write 'f;a\\n+ c->n = 1' in single quotes");
	refused("f;c->n = 1 -> g", "write 'f;c->n = 1' in single quotes");
	refused("g -> f;c->n@t -> h", "write 'f;c->n'@t in single quotes");
}

static void test_cycles(void **state)
{
	ERROR(err);
	struct drive d;

	(void)state;
	refused("a -> a", "a -> a is a cycle");
	refused("a@t -> a@t", "a@t -> a@t is a cycle");
	refused("[a] -> a", "[a] -> a is a cycle");
	drive_begin(&d);
	order(&d, "a -> b, b -> c, b -> x, x -> y");
	assert_int_equal(engine_order(d.e, "c -> a", "y.lua:7", &err), 0);
	assert_int_equal(engine_orders_finish(d.e, &err), -1);
	assert_string_equal(err.text, "y.lua:7: order: c -> a -> b -> c is a cycle: none of its "
				      "events can be the first");
	engine_free(d.e);
	drive_begin(&d);
	/* edges that form no cycle */
	order(&d, "a@t -> b, b -> a@u, d -> e, d -> f, e -> g, f -> g");
	engine_free(d.e);
}

/* A rejected order leaves nothing behind. */
static void test_refused_leaves_nothing(void **state)
{
	ERROR(err);
	struct drive d;

	(void)state;
	drive_begin(&d);
	assert_int_equal(engine_order(d.e, "a -> b, c ->", "s", &err), -1);
	assert_string_equal(err.text, "s: order: a name is missing in \"a -> b, c ->\"");
	assert_non_null(err.hint);
	assert_int_equal(engine_order(d.e, "a", "--order", &err), -1);
	assert_string_equal(err.text, "--order: an arrow -> is missing in \"a\"");
	assert_int_equal(engine_orders_finish(d.e, &err), 0);
	assert_null(engine_place_at(d.e, 0));
	engine_free(d.e);
}

/* An :event with the location's name takes precedence over a place created for the location. */
static void test_later_orders(void **state)
{
	struct drive d;

	(void)state;
	drive_begin(&d);
	order(&d, "a -> b");
	order(&d, "b -> c");
	place_is(&d, 2, "b:wE");
	place_is(&d, 3, "b+:o");
	place_is(&d, 4, "c:wE");
	assert_null(engine_place_at(d.e, 5));
	engine_free(d.e);
}

/* Any text is accepted, or rejected with its position; accepted orders can be forced. */
static void test_random_texts(void **state)
{
	static const char *const pieces[] = {"a", "b",	"c", " -> ", "->", ",", "@", "t",
					     "'", "'a", "[", "]",    " ",  "-", ">", "b'"};
	unsigned taken = 0, seed = 1;
	ERROR(err);
	struct drive d;

	(void)state;
	for (int n = 0; n < 20000; n++) {
		struct str text = {0};

		for (int i = 0; i < 3 + n % 8; i++) {
			seed = seed * 1103515245 + 12345;
			str_add(&text, pieces[(seed >> 16) % 16]);
		}
		drive_begin(&d);
		if (engine_order(d.e, str_text(&text), "s", &err) < 0) {
			assert_memory_equal(err.text, "s: order: ", 10);
		} else {
			taken++;
			assert_non_null(strstr(str_text(&text), "->"));
			if (engine_orders_finish(d.e, &err) < 0)
				assert_non_null(strstr(err.text, "is a cycle"));
			else
				assert_non_null(engine_gate_at(d.e, 0));
		}
		engine_free(d.e);
		str_fini(&text);
	}
	assert_true(taken > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_chain_and_sharing),
		cmocka_unit_test(test_executed_by_the_bound_thread),
		cmocka_unit_test(test_companion_is_not_missing),
		cmocka_unit_test(test_event_position),
		cmocka_unit_test(test_event_of_several_places),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_refused_leaves_nothing),
		cmocka_unit_test(test_later_orders),
		cmocka_unit_test(test_random_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
