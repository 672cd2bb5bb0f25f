/* Operations on a program stopped at a trap: inspect, hold, call, kill. */
#include "test_tracee_scenes.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/attach/attach.h"

#include <sys/ptrace.h>

static void run_to_site(struct counted *r, const char *scene)
{
	start(r, scene);
	do {
		tracee_wait(r->t, &r->ev);
		if (r->ev.thread && r->ev.kind != TRACEE_SITE && r->ev.kind != TRACEE_THREAD_GONE)
			tracee_resume(r->t, r->ev.thread);
	} while (r->ev.kind != TRACEE_SITE && r->ev.kind != TRACEE_EMPTY);
	assert_int_equal(r->ev.kind, TRACEE_SITE);
}

static void memory_shows_no_traps(void **state)
{
	struct counted r = {.sites = {nop_line, push_line}};
	struct tracee_process *p;
	uint8_t here[16], bytes[16];
	uint64_t addr;

	(void)state;
	run_to_site(&r, "exit7");
	p = r.ev.process;
	addr = there(p, nop_line);
	memcpy(here, (void *)nop_line, sizeof(here));
	assert_int_equal(tracee_read(p, addr, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, here, sizeof(here));
	assert_int_equal(tracee_write(p, addr, bytes, sizeof(bytes)), 0);
	assert_int_equal(tracee_read(p, 0x10, bytes, 1), -1);
	assert_ptr_equal(tracee_site_find(p, addr), r.placed[0]);
	tracee_site_remove(p, r.placed[0]);
	assert_null(tracee_site_find(p, addr));
	assert_int_equal(tracee_read(p, addr, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, here, sizeof(here));
	tracee_resume(r.t, r.ev.thread);
	finish(&r);
	assert_int_equal(WEXITSTATUS(r.status), 7);
	assert_int_equal(r.hits, 0); /* counted from here on: the trap has been removed */
}

static uint64_t pc_in_proc(pid_t tid)
{
	char path[64], text[512] = "";
	uint64_t pc = 0;
	const char *last;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	last = strrchr(text, ' ');
	assert_non_null(last);
	pc = strtoull(last, NULL, 16);
	return pc;
}

static void held_at_its_site(void **state)
{
	struct counted r = {.sites = {push_line}};
	struct tracee_thread *held;
	struct tracee_site *site;

	(void)state;
	run_to_site(&r, "hammer");
	held = r.ev.thread;
	site = r.ev.site;
	do {
		tracee_wait(r.t, &r.ev);
		if (r.ev.thread && r.ev.kind != TRACEE_THREAD_GONE)
			tracee_resume(r.t, r.ev.thread);
	} while (r.ev.kind != TRACEE_TICK);
	assert_int_equal(held->state, TRACEE_STOPPED);
	assert_int_equal(pc_in_proc(held->tid), site->addr);
	tracee_resume(r.t, held);
	r.hits = 0;
	finish(&r);
	assert_int_equal(r.status, 0);
}

static void call_in_the_program(struct counted *r)
{
	const uint64_t none[6] = {0};
	int64_t result = 0;

	assert_int_equal(tracee_syscall(r->t, r->ev.thread, SYS_gettid, none, &result), 0);
	assert_int_equal(result, r->ev.thread->tid);
}

static void calls_on_behalf_of_the_tracer(void **state)
{
	struct counted r = {.sites = {nop_line, syscall_site}, .at_site = call_in_the_program};

	(void)state;
	run_scene(&r, "alarms");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 2 * THREADS * ROUNDS);
}

static void dies_by(int signal)
{
	struct counted r = {.sites = {nop_line}};

	run_to_site(&r, "handled");
	tracee_kill(r.t, r.ev.process, signal);
	finish(&r);
	assert_true(WIFSIGNALED(r.status));
	assert_int_equal(WTERMSIG(r.status), signal);
}

static void killed_here(void **state)
{
	(void)state;
	dies_by(SIGKILL);
	dies_by(SIGTERM); /* caught */
	dies_by(SIGUSR1); /* ignored */
	dies_by(SIGINT);
}

/*
 * A thread reports the interrupt of an earlier pause while another thread is paused: it continues.
 */
static void interrupted_while_another_is_paused(void **state)
{
	struct counted r = {.sites = {push_line}};
	struct tracee_thread *held, *first;
	struct tracee_block look;

	(void)state;
	run_to_site(&r, "hammer");
	held = r.ev.thread;
	first = held->creator;
	do {
		tracee_wait(r.t, &r.ev);
		if (r.ev.thread && r.ev.kind != TRACEE_THREAD_GONE)
			tracee_resume(r.t, r.ev.thread);
		tracee_look(first, &look);
	} while (look.activity != TRACEE_BLOCKED || r.ev.kind != TRACEE_TICK);
	assert_int_equal(first->state, TRACEE_RUNNING);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, first->tid, 0, 0), 0);
	do
		tracee_look(first, &look);
	while (look.activity != TRACEE_HALTED);
	tracee_resume(r.t, held);
	tracee_pause(r.t, held);
	assert_int_equal(first->state, TRACEE_RUNNING);
	if (tracee_is_paused(held))
		tracee_resume(r.t, held);
	finish(&r);
	assert_int_equal(r.status, 0);
}

/* Without a helper nothing can be mapped: simple instructions are emulated, others rejected. */
static void without_a_helper(void **state)
{
	struct counted r = {0};
	ERROR(err);
	struct tracee_process *p;

	(void)state;
	r.t = tracee_launch(
		&(struct tracee_launch){.argv = (char *[]){"/proc/self/exe", "hammer", NULL},
					.stdin_fd = -1,
					.stdout_fd = -1,
					.stderr_fd = -1},
		&err);
	living = r.t;
	assert_non_null(r.t);
	tracee_wait(r.t, &r.ev);
	p = r.ev.process;
	assert_non_null(tracee_site_add(r.t, p, NULL, there(p, push_line), &r, &err));
	assert_non_null(tracee_site_add(r.t, p, NULL, there(p, nop_line), &r, &err));
	assert_non_null(tracee_site_add(r.t, p, NULL, there(p, return_site), &r, &err));
	assert_null(tracee_site_add(r.t, p, NULL, there(p, count_site), &r, &err));
	tracee_resume(r.t, r.ev.thread);
	finish(&r);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 3 * THREADS * ROUNDS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(memory_shows_no_traps, sweep),
		cmocka_unit_test_teardown(held_at_its_site, sweep),
		cmocka_unit_test_teardown(calls_on_behalf_of_the_tracer, sweep),
		cmocka_unit_test_teardown(killed_here, sweep),
		cmocka_unit_test_teardown(interrupted_while_another_is_paused, sweep),
		cmocka_unit_test_teardown(without_a_helper, sweep),
	};

	if (argc > 1)
		play_scene(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
