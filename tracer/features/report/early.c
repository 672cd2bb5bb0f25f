/* Reports of a run that has not ended. They remain if gatectl is killed (CTest sends SIGKILL at its
 * TIMEOUT) and are at most a second old then. */
#include "tracer/features/report/report.h"

#include "tracer/base/files/file.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting.h"

#include <signal.h>
#include <sys/stat.h>

/* Pause between two writes: EARLY_US microseconds plus EARLY_SHARE times the
 * duration of the last write. */
enum { EARLY_US = 500000, EARLY_SHARE = 20 };

struct early {
	uint64_t next_us;  /* time of the next write, by run_now_us() */
	unsigned long seq; /* of the last event written */
	bool quiet;	   /* the run was quiet at the last write */
};

static struct early *early_of(const struct run *s)
{
	static const struct keeper keeper = {sizeof(struct early), NULL};

	return kept_make(run_kept(s), &keeper);
}

/* The record of a scheduled run is written by its command. */
static bool early_is_wanted(const struct run *s)
{
	return run_options(s)->reports.count > 0 && !run_options(s)->sched;
}

/* Only regular files get early reports; JUnit's report is about all runs. */
static void early_put(const char *path, const struct str *reports)
{
	enum report_kind kind = report_kind_of(path);
	struct stat there;
	ERROR(ignored);

	if (kind != REPORT_JUNIT && stat(path, &there) == 0 && S_ISREG(there.st_mode))
		file_replace(path, str_text(&reports[kind]), &ignored);
	error_fini(&ignored);
}

static void early_write(struct run *s)
{
	struct str reports[REPORT_KINDS] = {{0}};
	uint64_t began = run_now_us();
	STR(message);
	struct report_head head = {.verdict = "interrupted", .status = 128 + SIGKILL, .note = ""};

	str_addf(&message, "gatectl: interrupted: gatectl was killed; known after %.1f seconds\n",
		 (double)run_elapsed_us(s) / 1e6);
	head.message = str_text(&message);
	report_print(s, &head, reports);
	array_each(const char *, path, &run_options(s)->reports)
		early_put(*path, reports);
	for (int kind = 0; kind < REPORT_KINDS; kind++)
		str_fini(&reports[kind]);
	early_of(s)->next_us = run_now_us() + EARLY_US + EARLY_SHARE * (run_now_us() - began);
}

/* The wait graph is valid only while its threads stay stopped: the last report must not have it. */
static void forget_waits(struct run *s)
{
	run_each_thread(t, s)
		waiting_fini(waiting_of(t));
}

void report_slow_tick(struct run *s, uint64_t now, bool quiet)
{
	struct early *e = early_of(s);
	unsigned long seq = timeline_of(s)->seq;

	if (!early_is_wanted(s) || run_elapsed_us(s) < EARLY_US || now < e->next_us ||
	    (seq == e->seq && quiet <= e->quiet))
		return;
	if (!run_is_explained(s))
		waiting_look_all(s);
	e->seq = seq;
	e->quiet = quiet;
	early_write(s);
	if (!run_is_explained(s))
		forget_waits(s);
}
