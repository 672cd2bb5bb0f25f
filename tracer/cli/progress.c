/* A progress bar on standard error. */
#include "tracer/cli/progress.h"

#include "tracer/base/files/io.h"
#include "tracer/base/text/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BETWEEN_MS = 50, BAR_MOST = 30, WIDTH_UNKNOWN = 80 };

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The width is read each time: the window may have been resized. */
static size_t width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return WIDTH_UNKNOWN;
	return size.ws_col;
}

static void progress_put(const struct str *s)
{
	io_write(STDERR_FILENO, str_text(s), s->length);
}

void progress_erase(struct progress *p)
{
	struct str s = {0};

	if (!p->drawn)
		return;
	str_add(&s, "\r\033[K");
	progress_put(&s);
	str_fini(&s);
	p->drawn = false;
}

static void add_bar(const struct progress *p, size_t room, struct str *out)
{
	size_t length = room > BAR_MOST ? BAR_MOST : room;
	size_t full = p->all ? length * p->done / p->all : 0;

	str_add(out, p->cli->color ? "[\033[32m" : "[");
	for (size_t i = 0; i < length; i++)
		str_add(out, i < full ? "#" : p->cli->color && i == full ? "\033[0m." : ".");
	str_add(out, p->cli->color ? "\033[0m] " : "] ");
}

/* Adds the count, and the remaining time, estimated from the runs so far. */
static void add_count(const struct progress *p, uint64_t now, const char *noun, struct str *out)
{
	uint64_t left;

	if (!p->all) {
		str_addf(out, "%lu %s%s", p->done, noun, str_plural(p->done));
		return;
	}
	str_addf(out, "%lu of %lu %s%s", p->done, p->all, noun, str_plural(p->all));
	if (!p->done || p->done > p->all)
		return;
	left = (now - p->start_ms) * (p->all - p->done) / p->done / 1000;
	str_addf(out, ", %llu:%02llu left", (unsigned long long)left / 60,
		 (unsigned long long)left % 60);
}

static void add_search(const struct progress *p, uint64_t now, struct str *out)
{
	const struct explore *e = p->search;

	if (now > p->start_ms)
		str_addf(out, ", %.0f/s", (double)p->done * 1000 / (double)(now - p->start_ms));
	str_addf(out, ", %lu distinct, %zu failure%s", e->distinct, e->failures.count,
		 str_plural(e->failures.count));
}

/* `what`: the purpose of the run; empty: a schedule of the search. */
static void progress_draw(const struct progress *p, uint64_t now, const char *what)
{
	const bool is_schedule = p->search && !*what;
	size_t columns = width() - 1; /* a full last column would wrap */
	struct str text = {0}, line = {0};

	add_count(p, now, is_schedule ? "schedule" : p->noun, &text);
	if (is_schedule)
		add_search(p, now, &text);
	else
		str_addf(&text, ", %s", what);
	str_add(&line, "\r\033[K");
	if (p->all && columns >= text.length + 8)
		add_bar(p, columns - text.length - 3, &line);
	str_add_bytes(&line, str_text(&text), text.length < columns ? text.length : columns);
	progress_put(&line);
	str_fini(&text);
	str_fini(&line);
}

static void progress_show(void *ctx, unsigned long done, unsigned long all, const char *what)
{
	struct progress *p = ctx;
	const uint64_t now = now_ms();

	if (!done) /* a new phase: the time before does not count */
		p->start_ms = now;
	p->done = done;
	p->all = all;
	if (!p->shown || (p->drawn && now - p->last_ms < BETWEEN_MS))
		return;
	p->last_ms = now;
	progress_draw(p, now, what);
	p->drawn = true;
}

void progress_begin(struct progress *p, struct cli *cli, struct experiment_view *view)
{
	const char *term = getenv("TERM");
	bool wanted = !cli->run.quiet && !cli->run.verbose;

	*p = (struct progress){
		.cli = cli, .noun = "run", .was_quiet = cli->run.quiet, .start_ms = now_ms()};
	p->shown = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	*view = (struct experiment_view){.ctx = p, .progress = progress_show};
	cli->run.quiet |= !cli->run.verbose;
}

void progress_end(struct progress *p)
{
	progress_erase(p);
	p->cli->run.quiet = p->was_quiet;
}
