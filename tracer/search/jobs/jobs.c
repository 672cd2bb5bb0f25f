/* Workers of a search: child processes that make runs and send their outcomes through pipes. */
#include "tracer/search/search_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* ---- records in pipes ------------------------------------------------------------------------ */

enum { READ_SIZE = 65536, LOOK_MS = 200 };

static int send(int fd, const struct record *r)
{
	STR(bytes);
	int answer;

	record_put(r, &bytes);
	answer = io_write(fd, bytes.text, bytes.length);
	return answer;
}

/* Returns 1 if fd is readable or closed, 0 after a signal or LOOK_MS. */
static int wait_for(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, LOOK_MS) > 0;
}

/* Reads a record. Returns 1, or 0 if the pipe is closed or a signal asks to end, even with data
   unread. */
static int receive(struct explore_job *job, struct record *r)
{
	char bytes[READ_SIZE];
	ssize_t n;
	int taken;

	if (run_signals_came())
		return 0;
	while ((taken = record_take(r, &job->bytes, &job->at)) == 0) {
		if (job->at == job->bytes.length) {
			str_clear(&job->bytes);
			job->at = 0;
		}
		while (!wait_for(job->from))
			if (run_signals_came())
				return 0;
		n = read(job->from, bytes, sizeof(bytes));
		if (n > 0)
			str_add_bytes(&job->bytes, bytes, (size_t)n);
		else if (n == 0 || errno != EINTR)
			return 0;
	}
	return taken > 0;
}

/* ---- a worker -------------------------------------------------------------------------------- */

struct working {
	struct explore_worker worker;
	struct explore_job pipes; /* pipes to the search */
	struct record record;
	uint64_t batch; /* lessons of batches below this one are known */
};

/* Reopens standard input, so that the worker has its own file offset. */
static void open_input(void)
{
	int in = io_offset(STDIN_FILENO) >= 0 ? open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC) : -1;

	if (in >= 0) {
		dup2(in, STDIN_FILENO);
		close(in);
	}
}

static void say_ready(struct working *w)
{
	const struct explore_runs *runs = &w->worker.runs;

	record_begin(&w->record, RECORD_READY);
	record_add(&w->record, runs->kept != NULL);
	record_add_text(&w->record, runs->not_kept);
}

static void say_fault(struct working *w)
{
	const struct error *err = w->worker.e->x.err;

	record_begin(&w->record, RECORD_FAULT);
	record_add(&w->record, err->code);
	record_add_text(&w->record, err->text);
	record_add_text(&w->record, err->hint);
}

static void take_lesson(struct working *w)
{
	struct record *r = &w->record;
	ARRAY(uint64_t) words = {0};
	uint64_t run = record_get(r);

	for (uint64_t n = record_get(r); n-- && !r->bad;)
		*array_add(&words) = record_get(r);
	strategy_learn(w->worker.strategy, run, words.items, words.count);
	array_fini(&words);
}

/* Receives the lessons of earlier batches. Returns 0, or -1 if the search has ended. */
static int jobs_learn(struct working *w, uint64_t run)
{
	while (strategy_memory(w->worker.strategy) == STRATEGY_MEMORY_BATCH &&
	       w->batch < run / STRATEGY_BATCH) {
		if (receive(&w->pipes, &w->record) <= 0)
			return -1;
		if (record_get(&w->record) == RECORD_BATCH)
			w->batch = record_get(&w->record);
		else
			take_lesson(w);
	}
	return 0;
}

/* Later outcomes need not repeat a known failure's details or another schedule that passed. */
static void note_known(struct explore *e, const struct explore_outcome *o)
{
	if (o->kind)
		*array_add(&e->failures) = (struct explore_failure){.key = o->key};
	e->passed.is_known |= o->passed.steps.count > 0;
}

static int make_runs(struct working *w, uint64_t run, uint64_t step)
{
	struct explore *e = w->worker.e;
	struct explore_outcome o;
	int answer = 0;

	for (; answer == 0 && (!e->options.runs || run < e->options.runs); run += step) {
		if (jobs_learn(w, run) < 0 || explore_worker_run(&w->worker, run, &o) < 0)
			return -1;
		note_known(e, &o);
		explore_outcome_write(&o, &w->record);
		answer = send(w->pipes.to, &w->record);
		explore_outcome_fini(&o);
	}
	return answer;
}

/* Lessons are sent to all workers, also after a worker's last run: its pipe stays open for them. */
static void await_end(struct working *w)
{
	while (receive(&w->pipes, &w->record) > 0)
		;
}

/* Runs the worker until the search ends it. Does not return. */
static void work(struct explore_jobs *j, unsigned number, struct explore_job pipes)
{
	struct working w = {.worker = {.e = j->e, .strategy = j->strategy, .fault = j->fault},
			    .pipes = pipes,
			    .batch = j->run / STRATEGY_BATCH};
	uint64_t step = j->step * j->items.count;
	int answer;

	open_input();
	run_signals_say(NULL); /* the search reports signals */
	answer = explore_worker_begin(&w.worker, j->first + number, j->paths);
	if (answer == 0) {
		say_ready(&w);
		answer = send(pipes.to, &w.record);
	}
	if (answer == 0)
		answer = make_runs(&w, j->run + number * j->step, step);
	if (answer < 0) {
		say_fault(&w);
		send(pipes.to, &w.record);
	} else {
		await_end(&w);
	}
	explore_worker_end(&w.worker);
	_exit(0);
}

/* ---- the search ------------------------------------------------------------------------------ */

static int jobs_start(struct explore_jobs *j, unsigned number)
{
	struct explore_job *job = &j->items.items[number], mine = {0};
	int up[2], down[2];

	if (pipe2(up, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(down, O_CLOEXEC) < 0) {
		close(up[0]);
		close(up[1]);
		return -1;
	}
	job->from = up[0];
	job->to = down[1];
	job->pid = tracee_worker();
	if (job->pid == 0) {
		for (unsigned i = 0; i <= number; i++) {
			close(j->items.items[i].from);
			close(j->items.items[i].to);
		}
		mine.from = down[0];
		mine.to = up[1];
		work(j, number, mine);
	}
	close(up[1]);
	close(down[0]);
	return job->pid < 0 ? -1 : 0;
}

/* Reports how a worker ended that has not sent the reason. */
static int gone(struct explore_jobs *j, struct explore_job *job)
{
	struct error *err = j->e->x.err;
	int signal;

	j->e->x.over = true;
	if (run_signals_came())
		return -1;
	signal = tracee_worker_kill(job->pid);
	job->pid = -1;
	if (signal)
		error_set(err, ERROR_SYSTEM,
			  "a worker process was ended by signal %d, which ended the search",
			  signal);
	else
		error_set(err, ERROR_SYSTEM, "a worker process has ended, which ended the search");
	return error_hint(err, "gatectl explore -j 1 ... uses no workers");
}

static int jobs_fault(struct explore_jobs *j, struct explore_job *job, struct record *r)
{
	enum error_code code = (enum error_code)record_get(r);
	char *text = record_get_text(r), *hint = record_get_text(r);
	int answer = -1;

	j->e->x.over = true;
	if (!code)
		/* A signal that ended the worker may reach the search too. */
		poll(NULL, 0, LOOK_MS);
	if (!run_signals_came() && code && text) {
		error_set(j->e->x.err, code, "%s", text);
		if (hint)
			error_hint(j->e->x.err, "%s", hint);
	} else {
		answer = gone(j, job);
	}
	base_free(text);
	base_free(hint);
	return answer;
}

/* Receives the worker's next record, which must be of this kind. */
static int expect(struct explore_jobs *j, struct explore_job *job, enum record_kind kind,
		  struct record *r)
{
	uint64_t came;

	if (receive(job, r) <= 0)
		return gone(j, job);
	came = record_get(r);
	return came == kind ? 0 : came == RECORD_FAULT ? jobs_fault(j, job, r) : gone(j, job);
}

static int all_ready(struct explore_jobs *j)
{
	struct explore *e = j->e;
	struct record r = {0};
	int answer = 0;

	for (size_t i = 0; answer == 0 && i < j->items.count; i++) {
		answer = expect(j, &j->items.items[i], RECORD_READY, &r);
		if (answer < 0)
			break;
		e->forked = record_get(&r);
		base_free(e->not_forked);
		e->not_forked = record_get_text(&r);
	}
	record_fini(&r);
	return answer;
}

int explore_jobs_begin(struct explore_jobs *j, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		*array_add(&j->items) = (struct explore_job){.from = -1, .to = -1, .pid = -1};
	for (unsigned i = 0; i < count; i++)
		if (jobs_start(j, i) < 0)
			return error_errno(j->e->x.err, ERROR_SYSTEM,
					   "cannot start a worker process");
	return all_ready(j);
}

/* Sends the batch's lessons to all workers, which wait for them. */
static int tell_lessons(struct explore_jobs *j, uint64_t batch)
{
	struct record r = {0};
	int answer = 0;

	record_begin(&r, RECORD_BATCH);
	record_add(&r, batch);
	record_put(&r, &j->lessons);
	for (size_t i = 0; answer == 0 && i < j->items.count; i++)
		if (io_write(j->items.items[i].to, j->lessons.text, j->lessons.length) < 0)
			answer = gone(j, &j->items.items[i]);
	str_clear(&j->lessons);
	record_fini(&r);
	return answer;
}

static int note_lesson(struct explore_jobs *j, const struct explore_outcome *o)
{
	struct record r = {0};
	uint64_t next = (o->run + j->step) / STRATEGY_BATCH;

	if (strategy_memory(j->strategy) != STRATEGY_MEMORY_BATCH)
		return 0;
	record_begin(&r, RECORD_LESSON);
	record_add(&r, o->run);
	record_add(&r, o->lesson.count);
	array_each(const uint64_t, word, &o->lesson)
		record_add(&r, *word);
	if (o->run > 0)
		record_put(&r, &j->lessons);
	record_fini(&r);
	return next > o->run / STRATEGY_BATCH ? tell_lessons(j, next) : 0;
}

int explore_jobs_run(struct explore_jobs *j, uint64_t run, struct explore_outcome *out)
{
	size_t i = (size_t)((run - j->run) / j->step % j->items.count);
	struct record r = {0};
	int answer = expect(j, &j->items.items[i], RECORD_RUN, &r);

	*out = (struct explore_outcome){0};
	if (answer == 0 && (!explore_outcome_read(out, &r) || out->run != run))
		answer = gone(j, &j->items.items[i]);
	record_fini(&r);
	return answer < 0 ? -1 : note_lesson(j, out);
}

/* Reads the records that have arrived; does not wait for more. */
static bool next_left(struct explore_job *job, struct record *r)
{
	char bytes[READ_SIZE];
	struct pollfd p = {.fd = job->from, .events = POLLIN};
	int taken;

	while ((taken = record_take(r, &job->bytes, &job->at)) == 0) {
		ssize_t n = poll(&p, 1, 0) > 0 ? read(job->from, bytes, sizeof(bytes)) : 0;

		if (n <= 0)
			return false;
		str_add_bytes(&job->bytes, bytes, (size_t)n);
	}
	return taken > 0;
}

bool explore_jobs_left(struct explore_jobs *j, struct explore_outcome *out)
{
	struct record r = {0};
	bool found = false;

	array_each(struct explore_job, job, &j->items)
		while (!found && job->from >= 0 && next_left(job, &r))
			found = record_get(&r) == RECORD_RUN && explore_outcome_read(out, &r);
	record_fini(&r);
	return found;
}

int explore_jobs_apart(struct explore_jobs *j, int (*what)(void *ctx), void *ctx)
{
	int ends[2];
	bool is_over = false;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	j->apart = tracee_worker();
	if (j->apart == 0) {
		close(ends[0]);
		_exit(what(ctx) < 0);
	}
	close(ends[1]);
	while (j->apart > 0 && !is_over && !wait_for(ends[0]))
		is_over = run_signals_came();
	close(ends[0]);
	if (is_over) {
		j->e->x.over = true;
		return -1;
	}
	if (j->apart > 0)
		/* The closed pipe shows that the process has ended; this reaps it. */
		tracee_worker_kill(j->apart);
	j->apart = 0;
	return 0;
}

void explore_jobs_end(struct explore_jobs *j)
{
	ARRAY(pid_t) pids = {0};

	array_each(struct explore_job, job, &j->items)
		if (job->pid > 0)
			*array_add(&pids) = job->pid;
	if (j->apart > 0)
		*array_add(&pids) = j->apart;
	j->apart = 0;
	if (pids.count)
		tracee_workers_end(pids.items, pids.count);
	array_fini(&pids);
	array_each(struct explore_job, job, &j->items) {
		if (job->from >= 0)
			close(job->from);
		if (job->to >= 0)
			close(job->to);
		str_fini(&job->bytes);
	}
	array_fini(&j->items);
	str_fini(&j->lessons);
}
