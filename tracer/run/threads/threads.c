/* Ids of threads: "main", or the start routine and a number in order of creation ("worker#1"); in
   the k-th child process with the prefix "pk/". */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/program.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/threads/threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct run_process *threads_process(struct run *s, struct tracee_process *tracee)
{
	struct run_process *p = tracee->user, *parent;
	char prefix[32] = "";

	if (p)
		return p;
	p = tracee->user = base_alloc(1, sizeof(*p));
	parent = tracee->parent ? tracee->parent->user : NULL;
	p->run = s;
	p->index = s->processes.count;
	p->tracee = tracee;
	p->pid = tracee->pid;
	program_init(p);
	if (!tracee->is_root)
		snprintf(prefix, sizeof(prefix), "p%u/", ++s->children);
	p->prefix = base_strdup(prefix);
	*array_add(&s->processes) = p;
	if (parent) {
		p->parent_pid = parent->pid;
		images_copy(p, parent);
		sites_copy(s, p, parent);
	}
	return p;
}

static unsigned next_ordinal(struct run_process *p, const char *start)
{
	array_each(struct ordinal, o, &p->ordinals)
		if (strcmp(o->start, start) == 0)
			return ++o->count;
	*array_add(&p->ordinals) = (struct ordinal){base_strdup(start), 1};
	return 1;
}

static void name_thread(struct run *s, struct run_thread *t, const char *start)
{
	struct str id = {0};

	if (t->tracee->tid == t->process->pid)
		str_addf(&id, "%smain", t->process->prefix);
	else
		str_addf(&id, "%s%s#%u", t->process->prefix, start,
			 next_ordinal(t->process, start));
	t->engine = engine_thread_new(s->engine, str_text(&id), start, t->tracee->tid);
	t->engine->user = t;
	str_fini(&id);
}

/* The first thread of a process has no thread pointer yet. */
static uint64_t scheduler_block_of(struct tracee_thread *tracee)
{
	struct arch_regs regs;

	if (tracee->tid == tracee->process->pid || tracee_regs(tracee, &regs) < 0)
		return 0;
	return regs.fs_base;
}

struct run_thread *threads_new(struct run *s, struct run_process *p, struct tracee_thread *tracee,
			       const char *start)
{
	struct run_thread *t = tracee->user = base_alloc(1, sizeof(*t));

	t->index = s->threads.count;
	t->tracee = tracee;
	t->process = p;
	t->state = "running";
	t->comm_file = -1;
	t->scheduler_block = scheduler_block_of(tracee);
	*array_add(&s->threads) = t;
	name_thread(s, t, start);
	observe(thread_new, s, t);
	return t;
}

static void close_comm(struct run_thread *t)
{
	if (t->comm_file >= 0)
		close(t->comm_file);
	t->comm_file = -1;
}

void threads_gone(struct run *s, struct run_thread *t, bool renamed)
{
	observe(thread_over, s, t, renamed);
	program_forget(t);
	close_comm(t);
	t->tracee = NULL;
	t->held_since = 0;
	if (!s->over)
		t->state = "exited";
}

/* An exec leaves one thread, which is the main thread from now on. */
void threads_become_main(struct run *s, struct run_thread *t)
{
	struct tracee_thread *tracee = t->tracee;
	struct run_process *p = t->process;
	size_t prefix = strlen(p->prefix);

	array_each(struct ordinal, o, &p->ordinals)
		base_free(o->start);
	array_fini(&p->ordinals);
	if (strcmp(t->engine->id + prefix, "main") == 0)
		return;
	threads_gone(s, t, true);
	engine_thread_exited(s->engine, t->engine);
	threads_new(s, p, tracee, *p->prefix ? "" : "main");
}

struct run_thread *threads_of(const struct engine_thread *t)
{
	return t->user;
}

/* The file is kept open for further reads, unless half of gatectl's file descriptors are in use. */
static int open_comm(struct run_thread *t)
{
	char path[64];
	int file;

	if (t->comm_file >= 0)
		return t->comm_file;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", t->process->pid, t->engine->tid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < sysconf(_SC_OPEN_MAX) / 2)
		t->comm_file = file;
	return file;
}

/* The kernel's name of the thread (pthread_setname_np). It is read each time, since no event
   reports a change; that of an exited thread is the last one read. */
const char *threads_name(void *ctx, const struct engine_thread *engine)
{
	struct run_thread *t = threads_of(engine);
	ssize_t n;
	int file;

	(void)ctx;
	if (!t->tracee || (file = open_comm(t)) < 0)
		return t->comm;
	n = pread(file, t->comm, sizeof(t->comm) - 1, 0);
	if (file != t->comm_file)
		close(file);
	if (n <= 0)
		return t->comm;
	t->comm[t->comm[n - 1] == '\n' ? n - 1 : n] = '\0';
	for (char *at = t->comm; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return t->comm;
}

const char *threads_state(void *ctx, const struct engine_thread *t)
{
	struct run_thread *thread = threads_of(t);
	struct run *s = ctx;
	struct tracee_block look;

	observe(condition, s, &(struct condition_event){.step = CONDITION_LOOKS, .thread = thread});
	if (!thread->tracee || t->exited)
		return "exited";
	if (t->held)
		return "held";
	tracee_look(thread->tracee, &look);
	return look.activity == TRACEE_BLOCKED || look.activity == TRACEE_DISK ? "blocked"
									       : "running";
}

void threads_note(struct run *s, struct run_thread *t)
{
	threads_name(s, t->engine);
	t->state = threads_state(s, t->engine);
}

const char *threads_runs(void *ctx, const struct engine_thread *t)
{
	struct run_thread *thread = threads_of(t);
	struct run *s = ctx;
	const char *function = NULL;

	observe_until(function, runs, s, thread);
	return function;
}

void threads_forgive(struct run_process *p)
{
	array_each(char *, text, &p->lost_held)
		base_free(*text);
	array_fini(&p->lost_held);
}

static void free_process(struct run_process *p)
{
	base_free(p->prefix);
	array_fini(&p->images);
	array_each(struct ordinal, o, &p->ordinals)
		base_free(o->start);
	array_fini(&p->ordinals);
	threads_forgive(p);
	kept_fini(&p->kept);
	base_free(p);
}

void threads_free(struct run *s)
{
	array_each(struct run_process *, p, &s->processes)
		free_process(*p);
	array_fini(&s->processes);
	array_each(struct run_thread *, t, &s->threads) {
		program_forget(*t);
		close_comm(*t);
		kept_fini(&(*t)->kept);
		base_free(*t);
	}
	array_fini(&s->threads);
}
