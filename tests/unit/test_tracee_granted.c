/*
 * Granted arrivals are reported like stops: each once, in order, with its registers, before the
 * next stop; also if signals interrupt the code anywhere.
 *
 * The test launches itself: with the name of a scene as argument it plays that scene.
 */
#include "test_tracee_drive.h"

#include "tracer/sched/strategy/prng.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/fastpath/fastpath.h"
#include "tracer/tracee/attach/attach.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { ROUNDS = 20000, RCX = 2, RSI = 4 };

/*
 * Decrements rcx at each arrival; rsi points to the memory that the instruction at `place` adds to.
 */
/* clang-format off */
__asm__(".text\n"
	".globl ready\n.type ready, @function\nready: nopl 0(%rax)\n	ret\n"
	".globl walk, place, walked\n.type walk, @function\n"
	"walk:	mov %rdi, %rcx\n"
	"1:\n"
	"place:	addq $1, 0x100(%rsi)\n"
	"	dec %rcx\n"
	"	jnz 1b\n"
	"walked: nopl 0(%rax)\n	ret\n");
/* clang-format on */

void ready(void), walk(unsigned long rounds, void *memory), place(void), walked(void);

static volatile sig_atomic_t handled;
static uint64_t memory[64];

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static int scene_walks(void)
{
	ready();
	walk(ROUNDS, memory);
	return memory[32] != ROUNDS;
}

/* Signals a thousand times a second. */
static int scene_interrupted(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};

	signal(SIGALRM, on_signal);
	ready();
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 10; i++)
		walk(ROUNDS, memory);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	return memory[32] != 10 * ROUNDS || !handled;
}

static const struct scene scenes[] = {{"walks", scene_walks}, {"interrupted", scene_interrupted}};

/* ---- the tests ------------------------------------------------------------------------------- */

static void start(struct run *r, char *scene)
{
	char *const argv[] = {"/proc/self/exe", scene, NULL};
	const struct tracee_launch how = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .tick_ms = 5};
	struct tracee_site *site;

	r->t = living = tracee_launch(&how, &r->err);
	if (!r->t)
		fail_msg("%s", r->err.text);
	next_event(r);
	add_site(r, ready);
	go_on(r);
	until(r, TRACEE_SITE);
	assert_true(tracee_grants_open(r->t, r->ev.thread, there(r->ev.process, place)));
	add_site(r, place);
	add_site(r, walked);
	site = tracee_site_find(r->ev.process, there(r->ev.process, place));
	assert_null(tracee_site_granted(r->t, r->ev.process, site, 0, TRACEE_GRANTED_ELSEWHERE));
	go_on(r);
}

struct walk {
	uint64_t left;
	unsigned long arrivals, told, walks;
	const uint64_t *others;
	size_t other_count;
	bool own_places;
};

static void arrive(struct run *r, struct walk *w, struct prng *random)
{
	struct arch_regs regs;

	assert_int_equal(tracee_regs(r->ev.thread, &regs), 0);
	assert_int_equal(regs.dwarf[ARCH_DWARF_PC], r->ev.site->addr);
	if (r->ev.site->addr == there(r->ev.process, walked)) {
		assert_int_equal(w->left, 0);
		w->walks++;
		w->left = ROUNDS;
		return;
	}
	assert_int_equal(regs.dwarf[RCX], w->left--);
	assert_int_equal(regs.dwarf[RSI], there(r->ev.process, memory));
	w->arrivals++;
	w->told += tracee_told(r->t) == r->ev.thread;
	if (!tracee_told(r->t))
		tracee_grant(r->ev.thread, (unsigned)prng_below(random, 2 * GRANTED_MOST),
			     w->others, w->other_count, w->own_places ? 0 : GRANTED_MOST);
}

static void walk_through(struct run *r, struct walk *w)
{
	struct prng random;

	prng_seed(&random, 1, 1);
	w->left = ROUNDS;
	for (next_event(r); r->ev.kind != TRACEE_EMPTY; next_event(r)) {
		if (r->ev.kind == TRACEE_SITE)
			arrive(r, w, &random);
		go_on(r);
	}
	assert_int_equal(r->status, 0);
}

static void test_each_is_told(void **state)
{
	struct walk w = {0};
	struct run r = {0};

	(void)state;
	start(&r, "walks");
	walk_through(&r, &w);
	assert_int_equal(w.arrivals, ROUNDS);
	assert_int_equal(w.walks, 1);
	assert_true(w.told > ROUNDS * 9 / 10 && w.told < ROUNDS);
}

static void test_interrupted(void **state)
{
	struct walk w = {0};
	struct run r = {0};

	(void)state;
	start(&r, "interrupted");
	walk_through(&r, &w);
	assert_int_equal(w.arrivals, 10 * ROUNDS);
	assert_int_equal(w.walks, 10);
	assert_true(r.counts[TRACEE_SIGNAL] > 0 && w.told > 0);
	print_message("%d signals\n", r.counts[TRACEE_SIGNAL]);
}

/* Another thread is about to access the same memory: the thread stops each time. */
static void test_others(void **state)
{
	struct walk w = {0};
	struct run r = {0};
	uint64_t object;

	(void)state;
	start(&r, "walks");
	object = there(r.ev.process, memory) + 0x100;
	w.others = &object;
	w.other_count = 1;
	walk_through(&r, &w);
	assert_int_equal(w.arrivals, ROUNDS);
	assert_int_equal(w.told, 0);
}

/* The site is at a shared place: if only private places are granted the thread stops each time. */
static void test_elsewhere(void **state)
{
	struct walk w = {.own_places = true};
	struct run r = {0};

	(void)state;
	start(&r, "walks");
	walk_through(&r, &w);
	assert_int_equal(w.arrivals, ROUNDS);
	assert_int_equal(w.told, 0);
}

/* Killed during a report: no process remains, and nothing hangs. */
static void test_killed(void **state)
{
	struct walk w = {.left = ROUNDS};
	struct run r = {0};
	struct prng random;

	(void)state;
	start(&r, "walks");
	prng_seed(&random, 1, 1);
	while (w.told < 10) {
		until(&r, TRACEE_SITE);
		arrive(&r, &w, &random);
		go_on(&r);
	}
	until(&r, TRACEE_SITE);
	tracee_kill_all(r.t);
	go_on(&r);
	for (next_event(&r); r.ev.kind != TRACEE_EMPTY; next_event(&r))
		go_on(&r);
	assert_int_equal(r.status, SIGKILL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_is_told, sweep),
		cmocka_unit_test_teardown(test_interrupted, sweep),
		cmocka_unit_test_teardown(test_others, sweep),
		cmocka_unit_test_teardown(test_elsewhere, sweep),
		cmocka_unit_test_teardown(test_killed, sweep),
	};

	if (argc > 1)
		return play(scenes, sizeof(scenes) / sizeof(*scenes), argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
