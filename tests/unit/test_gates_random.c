/* Random scripts and arrivals: invariants of the engine. */
#include "test_gates_drive.h"

#include <stdio.h>

enum { THREADS = 12, PLACES = 10, GATES = 8, PROGRAMS = 3000, TURNS = 120 };

static uint64_t seed;

static unsigned dice(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

struct world {
	struct drive d;
	struct gate *gates[GATES];
	struct place *places[PLACES];
	struct engine_thread *threads[THREADS];
	bool stopped[THREADS]; /* arrived and not released */
	bool said_held[THREADS];
	bool gone[THREADS];
	unsigned long arrivals[PLACES], stops, releases, kills, deaths;
	bool opened[GATES], dead[PLACES], faulted;
};

/* ---- a random script ---- */

static void make_gates(struct world *w)
{
	for (int i = 0; i < GATES; i++) {
		char name[2] = {(char)('a' + i), 0};

		if (i < 4)
			w->gates[i] = engine_gate_simple(w->d.e, name);
		else if (i < 6)
			w->gates[i] = engine_gate_barrier(w->d.e, name, 1 + dice(4), dice(2));
		else
			w->gates[i] = engine_gate_custom(w->d.e, "C", name, i);
	}
}

static void make_functions(struct world *w)
{
	for (int r = 0; r < REFS; r++) {
		w->d.flags[r] = dice(4) ? ENGINE_NO : ENGINE_YES;
		for (int i = 0; i < OPS - 1; i++) {
			struct op_code *o = &w->d.ops[r][i];

			o->op = (enum op[]){OP_END, OP_GATE, OP_UNTIL, OP_OPEN, OP_SET}[dice(5)];
			o->gate = w->gates[dice(GATES)];
			o->flag = (int)dice(REFS);
			if (dice(400) == 0)
				o->op = OP_FAULT;
		}
	}
}

static void make_step(struct world *w, struct place *p)
{
	static const enum step_kind kinds[] = {STEP_WAIT, STEP_WAIT,  STEP_WAIT, STEP_OPEN,
					       STEP_OPEN, STEP_WHEN,  STEP_RUN,	 STEP_EVENT,
					       STEP_LOG,  STEP_WATCH, STEP_KILL};
	unsigned which = dice(dice(20) ? 10 : 11);
	struct step *s = engine_step(p, kinds[which]);

	s->gate = w->gates[dice(s->kind == STEP_WATCH ? 4 : GATES)];
	s->script_ref = (int)dice(REFS);
	s->signal = 9;
	if (s->kind == STEP_EVENT || s->kind == STEP_LOG)
		s->text = base_strdup(dice(300) ? "text" : "broken");
	if (dice(10) == 0)
		s->thread = base_strdup("*1");
}

static void make_places(struct world *w)
{
	for (int i = 0; i < PLACES; i++) {
		struct place *p = drive_place(&w->d, (char[]){(char)('A' + i), 0});

		w->places[i] = p;
		for (unsigned k = dice(4); k > 0; k--)
			make_step(w, p);
		if (dice(4) == 0) {
			p->hit_first = 1 + dice(4);
			p->hit_last = dice(2) ? p->hit_first + dice(3) : 0;
		}
		if (dice(8) == 0)
			p->thread = base_strdup("t1*");
	}
}

static void new_thread(struct world *w, int i)
{
	char id[16];

	snprintf(id, sizeof(id), "t%d", i);
	w->threads[i] = engine_thread_new(w->d.e, id, "start", i);
	w->threads[i]->user = w;
}

static void begin(struct world *w)
{
	*w = (struct world){0};
	drive_begin(&w->d);
	w->d.passed_shuts = dice(2);
	w->d.opened_sets = dice(2);
	make_gates(w);
	make_functions(w);
	make_places(w);
	for (int i = 0; i < THREADS; i++)
		new_thread(w, i);
}

/* ---- each decision is possible ---- */

static int who(const struct world *w, const struct engine_thread *t)
{
	int i = 0;

	while (i < THREADS && w->threads[i] != t)
		i++;
	assert_true(i < THREADS);
	return i;
}

static void arrived(struct world *w, const struct decision *d)
{
	assert_true(w->stopped[who(w, d->thread)]);
	w->arrivals[d->place->index]++;
}

static void held(struct world *w, const struct decision *d, bool hold)
{
	int t = who(w, d->thread);

	assert_true(w->stopped[t]);
	assert_int_equal(w->said_held[t], !hold);
	w->said_held[t] = hold;
}

static void ended(struct world *w, const struct decision *d, unsigned long *count)
{
	int t = who(w, d->thread);

	assert_true(w->stopped[t]); /* one release for each stop */
	assert_false(w->said_held[t]);
	w->stopped[t] = false;
	++*count;
}

static void opened(struct world *w, const struct decision *d)
{
	assert_true(d->gate->is_open);
	if (d->gate->kind != GATE_CUSTOM)
		assert_false(w->opened[d->gate->index]);
	w->opened[d->gate->index] = true;
}

static void take(struct world *w, const struct decision *d)
{
	assert_false(w->faulted);
	if (d->place && d->kind != DECISION_DEAD && d->kind != DECISION_ARRIVED &&
	    d->kind != DECISION_EVENT && d->kind != DECISION_WATCH)
		assert_false(w->dead[d->place->index]);
	switch (d->kind) {
	case DECISION_ARRIVED:
		arrived(w, d);
		break;
	case DECISION_HOLD:
	case DECISION_PASS:
		held(w, d, d->kind == DECISION_HOLD);
		break;
	case DECISION_RELEASE:
		ended(w, d, &w->releases);
		break;
	case DECISION_KILL:
		ended(w, d, &w->kills);
		break;
	case DECISION_OPENED:
		opened(w, d);
		break;
	case DECISION_DEAD:
		assert_false(w->dead[d->place->index]);
		w->dead[d->place->index] = true;
		break;
	case DECISION_WATCH:
		assert_false(w->stopped[who(w, d->thread)]);
		break;
	case DECISION_FAULT:
		assert_string_equal(d->error->text, "x.lua:1: broken");
		w->faulted = true;
		break;
	case DECISION_EVENT:
	case DECISION_LOG:
	case DECISION_ELIDE:
	case DECISION_SPURIOUS:
		break;
	}
}

/* ---- invariants after all decisions ---- */

static void nobody_is_held_for_nothing(struct world *w, const struct engine_thread *t,
				       const struct engine_hold *hold)
{
	const struct gate *g = hold->gate;

	if (!g)
		return;
	if (g->kind == GATE_CUSTOM)
		assert_int_equal(w->d.flags[g->script_ref], ENGINE_NO);
	else if (g->is_open)
		assert_true(g->queue && g->serial_current && g->serial_current != t);
	if (g->kind == GATE_BARRIER && !g->is_open)
		assert_true(g->waiting < g->barrier_size);
}

static void check_threads(struct world *w)
{
	unsigned at[GATES] = {0}, stopped = 0;
	struct engine_hold hold;

	for (int i = 0; i < THREADS; i++) {
		bool is = engine_held(w->d.e, w->threads[i], &hold);

		assert_int_equal(is, w->stopped[i]);
		assert_int_equal(is, w->said_held[i]);
		assert_int_equal(w->threads[i]->held, is);
		assert_false(is && w->gone[i]);
		stopped += is;
		if (!is)
			continue;
		nobody_is_held_for_nothing(w, w->threads[i], &hold);
		if (hold.gate)
			at[hold.gate->index]++;
	}
	for (int i = 0; i < GATES; i++)
		assert_int_equal(w->gates[i]->waiting, at[i]);
	assert_int_equal(w->stops, w->releases + w->kills + w->deaths + stopped);
}

static void check_places(struct world *w)
{
	for (int i = 0; i < PLACES; i++) {
		assert_int_equal(w->places[i]->arrivals, w->arrivals[i]);
		assert_int_equal(w->places[i]->retired, w->dead[i]);
	}
}

/* A thread whose function returns true now is not held: it is asked again at any change. */
static void check_flags(struct world *w)
{
	struct engine_hold hold;
	struct place *p;

	for (int i = 0; i < THREADS; i++) {
		if (!engine_held(w->d.e, w->threads[i], &hold) || hold.gate)
			continue;
		p = hold.place;
		if (p->steps.count == 1 && p->steps.items[0].kind == STEP_WHEN)
			assert_int_equal(w->d.flags[p->steps.items[0].script_ref], ENGINE_NO);
	}
}

static void drain(struct world *w)
{
	struct decision d;

	while (engine_next(w->d.e, &d))
		take(w, &d);
	if (w->faulted)
		return;
	check_threads(w);
	check_places(w);
	check_flags(w);
}

/* ---- random events ---- */

static void random_arrival(struct world *w)
{
	struct place *at[3];
	size_t count = 1 + dice(3);
	int t = (int)dice(THREADS);

	if (w->gone[t] || w->stopped[t])
		return;
	for (size_t i = 0; i < count; i++)
		at[i] = w->places[dice(PLACES)];
	w->stopped[t] = true;
	w->stops++;
	engine_arrive(w->d.e, at, count, &(struct arrival){.thread = w->threads[t]});
}

static void random_death(struct world *w)
{
	int t = (int)dice(THREADS);

	if (w->gone[t])
		return;
	w->deaths += w->stopped[t];
	w->stopped[t] = w->said_held[t] = false;
	w->gone[t] = true;
	engine_thread_exited(w->d.e, w->threads[t]);
}

static void random_turn(struct world *w)
{
	int flag = (int)dice(REFS);
	unsigned t = dice(THREADS);

	switch (dice(20)) {
	case 0:
		engine_open(w->d.e, w->gates[dice(GATES)], NULL);
		break;
	case 1:
		random_death(w);
		break;
	case 2:
	case 3:
		w->d.flags[flag] =
			dice(200) == 0 ? ENGINE_FAULT : (dice(2) ? ENGINE_YES : ENGINE_NO);
		engine_changed(w->d.e);
		break;
	case 4:
		if (!w->gone[t] && !w->stopped[t])
			engine_blocked(w->d.e, w->threads[t]);
		break;
	default:
		random_arrival(w);
	}
}

static void end(struct world *w)
{
	for (int i = 0; i < THREADS; i++)
		if (!w->gone[i])
			engine_thread_exited(w->d.e, w->threads[i]);
	engine_free(w->d.e);
}

static void test_random(void **state)
{
	unsigned long stops = 0, held_at_end = 0, faults = 0, dead = 0;
	static struct world w;

	(void)state;
	for (unsigned n = 0; n < PROGRAMS; n++) {
		seed = n;
		begin(&w);
		for (int i = 0; i < TURNS; i++) {
			random_turn(&w);
			drain(&w);
		}
		stops += w.stops;
		faults += w.faulted;
		for (int i = 0; i < THREADS; i++)
			held_at_end += w.said_held[i];
		for (int i = 0; i < PLACES; i++)
			dead += w.dead[i];
		end(&w);
	}
	/* the test has covered enough */
	assert_true(stops > PROGRAMS * 30 && held_at_end > PROGRAMS);
	assert_true(faults > 10 && faults < PROGRAMS / 2 && dead > PROGRAMS);
}

/* ---- orders ---- */

enum { NAMES = 10, RUNNERS = 4, ORDERS = 1000 };

enum phase { OUTSIDE, ENTERING, INSIDE, LEAVING }; /* stopped while ENTERING or LEAVING */

struct runner {
	struct engine_thread *thread;
	enum phase phase;
	int at; /* statement that it is in, or goes to next */
};

struct race {
	struct drive d;
	bool before[NAMES][NAMES];
	bool blocked[NAMES]; /* its edges wait for [x] */
	bool done[NAMES];    /* reached and blocked, or executed */
	struct place *places[NAMES];
	struct runner runners[RUNNERS];
};

static void make_order(struct race *r)
{
	struct str text = {0};
	ERROR(err);

	for (int a = 0; a < NAMES; a++) {
		r->blocked[a] = dice(4) == 0;
		for (int b = a + 1; b < NAMES; b++) {
			r->before[a][b] = dice(4) == 0;
			if (!r->before[a][b])
				continue;
			str_addf(&text, r->blocked[a] ? "%s[s%d] -> s%d" : "%ss%d -> s%d",
				 text.length ? ", " : "", a, b);
		}
	}
	if (text.length && engine_order(r->d.e, str_text(&text), "o", &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(engine_orders_finish(r->d.e, &err), 0);
	str_fini(&text);
}

static struct place *find_place(struct race *r, int name)
{
	char text[16];
	struct place *p;

	snprintf(text, sizeof(text), "s%d", name);
	for (size_t i = 0; (p = engine_place_at(r->d.e, i)); i++)
		if (strcmp(p->location, text) == 0 && !p->after)
			return p;
	return engine_place(r->d.e, PLACE_LOCATION, text, "x");
}

static void begin_race(struct race *r)
{
	*r = (struct race){0};
	drive_begin(&r->d);
	make_order(r);
	for (int i = 0; i < NAMES; i++)
		r->places[i] = find_place(r, i);
	for (int i = 0; i < RUNNERS; i++) {
		r->runners[i].thread = drive_thread(&r->d, (char[]){(char)('0' + i), 0});
		r->runners[i].at = i;
	}
}

static void left(struct race *r, struct runner *u)
{
	r->done[u->at] = true;
	u->at += RUNNERS;
	u->phase = OUTSIDE;
}

/* A released thread may execute its statement only after all its predecessors have happened. */
static void released(struct race *r, struct runner *u)
{
	assert_true(u->phase == ENTERING || u->phase == LEAVING);
	if (u->phase == LEAVING) {
		left(r, u);
		return;
	}
	for (int a = 0; a < NAMES; a++)
		assert_false(r->before[a][u->at] && !r->done[a]);
	u->phase = INSIDE;
}

static void race_drain(struct race *r)
{
	struct decision d;

	while (engine_next(r->d.e, &d)) {
		if (d.kind != DECISION_RELEASE)
			continue;
		for (int i = 0; i < RUNNERS; i++)
			if (r->runners[i].thread == d.thread)
				released(r, &r->runners[i]);
	}
}

/* Reaches its statement, or blocks in it and leaves it; each statement belongs to one thread. */
static void race_step(struct race *r, struct runner *u)
{
	struct place *p = r->places[u->at];

	if (u->phase == OUTSIDE) {
		u->phase = ENTERING;
		arrive(&r->d, u->thread, p);
	} else if (r->blocked[u->at] && !r->done[u->at]) {
		r->done[u->at] = true;
		engine_blocked(r->d.e, u->thread);
	} else if (p->companion) {
		r->done[u->at] = true; /* executed; the thread is now stopped after it */
		u->phase = LEAVING;
		arrive(&r->d, u->thread, p->companion);
	} else {
		left(r, u);
	}
	race_drain(r);
}

/* Names are numbered so that no thread's own order contradicts the orders: all threads must end. */
static void test_random_orders(void **state)
{
	static struct race r;
	unsigned long held_steps = 0;

	(void)state;
	for (unsigned n = 0; n < ORDERS; n++) {
		seed = n + 77;
		begin_race(&r);
		for (int i = 0; i < 2000; i++) {
			struct runner *u = &r.runners[dice(RUNNERS)];

			held_steps += u->phase == ENTERING;
			if (u->phase != ENTERING && u->at < NAMES)
				race_step(&r, u);
		}
		for (int i = 0; i < RUNNERS; i++)
			assert_true(r.runners[i].at >= NAMES);
		for (int i = 0; i < NAMES; i++)
			assert_true(r.done[i]);
		engine_free(r.d.e);
	}
	assert_true(held_steps > ORDERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
