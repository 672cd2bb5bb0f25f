/*
 * Drives a program for the tests of tracee_call and tracee_watch: this executable, which plays a
 * scene.
 */
#ifndef TEST_TARGET_DRIVE_H
#define TEST_TARGET_DRIVE_H

#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/attach/attach.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

struct scene {
	const char *name;
	int (*play)(void);
};

static inline int play(const struct scene *scenes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, scenes[i].name))
			return scenes[i].play();
	return 99;
}

struct run {
	struct tracee *t;
	struct tracee_event ev;
	struct error err;
	int counts[TRACEE_EMPTY + 1];
	int status; /* exit status of the program */
};

static struct tracee *living; /* tracee that a failed test leaves behind */

static inline int sweep(void **state)
{
	(void)state;
	tracee_free(living);
	living = NULL;
	return 0;
}

/* The address in the program of an address here. */
static inline uint64_t there(const struct tracee_process *p, const volatile void *here)
{
	return (uint64_t)here - getauxval(AT_ENTRY) +
	       tracee_auxv((struct tracee_process *)p, AT_ENTRY);
}

static inline void add_site(struct run *r, const void *here)
{
	if (!tracee_site_add(r->t, r->ev.process, r->ev.thread, there(r->ev.process, here), r,
			     &r->err))
		fail_msg("%s", r->err.text);
}

static inline void next_event(struct run *r)
{
	tracee_wait(r->t, &r->ev);
	r->counts[r->ev.kind]++;
	if (r->ev.kind == TRACEE_PROCESS_GONE && r->ev.process->is_root)
		r->status = r->ev.status;
}

static inline void go_on(struct run *r)
{
	if (r->ev.thread && r->ev.kind != TRACEE_THREAD_GONE)
		tracee_resume(r->t, r->ev.thread);
}

static inline void until(struct run *r, enum tracee_event_kind kind)
{
	for (next_event(r); r->ev.kind != kind; next_event(r)) {
		assert_int_not_equal(r->ev.kind, TRACEE_EMPTY);
		go_on(r);
	}
}

/* Launches the scene with one site. */
static inline void launch(struct run *r, char *scene, const void *site)
{
	char *const argv[] = {"/proc/self/exe", scene, NULL};
	const struct tracee_launch how = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .tick_ms = 5};

	r->t = tracee_launch(&how, &r->err);
	if (!r->t)
		fail_msg("%s", r->err.text);
	living = r->t;
	next_event(r);
	assert_int_equal(r->ev.kind, TRACEE_EXEC);
	add_site(r, site);
	go_on(r);
}

#endif
