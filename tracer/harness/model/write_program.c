/* Generates the program that runs all harnesses and sequential orders. */
#include "tracer/harness/model/write.h"

#include "tracer/base/text/foreign.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
	"#define _GNU_SOURCE\n"
	"#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n"
	"#include <semaphore.h>\n#include <signal.h>\n#include <stdint.h>\n"
	"#include <stdio.h>\n#include <stdlib.h>\n"
	"#include <string.h>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include "
	"<sys/wait.h>\n#include <time.h>\n"
	"#include <unistd.h>\n\n"
	"enum { CALLS = 16, GIVEN = 8 };\n"
	"static __thread long visits;\n"
	"long harness_visit(void);\n"
	"long harness_visit(void) { visits++; return 0; }\n"
	"static void *visit __attribute__((unused)) = (void *)harness_visit;\n\n";

/* ---- calls ----------------------------------------------------------------------------------- */

static const char *field(enum harness_shown shown)
{
	switch (shown) {
	case HARNESS_UNSIGNED:
		return "u";
	case HARNESS_FLOAT:
		return "d";
	case HARNESS_STRING:
		return "text";
	case HARNESS_POINTER:
		return "p";
	default:
		return "n";
	}
}

static void add_function(const struct harness_object *o, unsigned number, struct str *out)
{
	const struct harness_call *c = &o->calls.items[number];
	const struct harness_op *op = &o->ops.items[c->op];
	struct gift gifts[GIFTS];
	unsigned count = write_gifts(op, gifts), outs = 0;

	str_addf(out, "static void call_%u(union given *given)\n{\n", number);
	array_each(const struct harness_argument, a, &op->arguments)
		if (a->kind == HARNESS_OUT)
			str_addf(out, "	%s%so%u = 0;\n", a->of, strchr(a->of, '*') ? "" : " ",
				 ++outs);
	for (unsigned i = harness_count(op, HARNESS_VISITS); i > 0; i--)
		str_add(out, "	visits = 0;\n");
	str_add(out, "	(void)given;\n	");
	if (write_is_text(op))
		str_add(out, "quoted_text(");
	else if (op->shown != HARNESS_NOTHING && !op->varies)
		str_addf(out, "given[0].%s = ", field(op->shown));
	else if (strcmp(op->result, "void") != 0)
		str_add(out, "(void)");
	write_call(o, c, 1, out);
	str_add(out, write_is_text(op) ? ", given[0].text);\n" : ";\n");
	/* The out-parameters of a call that returned false are indeterminate. */
	for (unsigned i = 0; i < count; i++)
		if (gifts[i].of && !gifts[i].out)
			str_addf(out, "	given[%u].n = visits;\n", i);
		else if (gifts[i].of)
			str_addf(out,
				 op->shown == HARNESS_BOOL
					 ? "	given[%u].%s = given[0].n ? o%u : 0;\n"
					 : "	given[%u].%s = o%u;\n",
				 i, field(gifts[i].shown), gifts[i].out);
	str_add(out, "}\n\n");
}

static void add_teller(const struct harness_object *o, unsigned number, struct str *out)
{
	struct gift gifts[GIFTS];
	unsigned count = write_gifts(harness_op_of(o, number), gifts);
	STR(format);
	STR(values);
	char name[32];

	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "given[%u].%s", i, field(gifts[i].shown));
		write_shown(&gifts[i], i, name, &format, &values);
	}
	str_addf(out, "static void tell_%u(const union given *given, char *out, size_t size)\n{\n",
		 number);
	str_add(out, "	(void)given;\n	snprintf(out, size, \"");
	foreign_c_format(out, o->calls.items[number].text);
	str_addf(out, "%s\"%s);\n}\n\n", str_text(&format), str_text(&values));
}

/* Makes a call and prints what it gave. Formatted with a declaration, the call, and what was
   thrown. */
static const char making[] =
	"%sstatic void make_it(unsigned n, union given *given)\n"
	"{\n"
	"	%s;\n"
	"}\n\n"
	"static void tell_it(unsigned n, const union given *given, char *out, size_t size)\n"
	"{\n"
	"	const char *thrown = %s;\n\n"
	"	if (thrown)\n"
	"		snprintf(out, size, \"%%s=%%s\", calls[n].text, thrown);\n"
	"	else\n"
	"		calls[n].tell(given, out, size);\n"
	"}\n\n";

static void add_table(const struct harness_object *o, struct str *out)
{
	str_add(out, "static const struct {\n	void (*call)(union given *);\n"
		     "	void (*tell)(const union given *, char *, size_t);\n"
		     "	const char *text;\n} calls[] = {\n");
	for (unsigned i = 0; i < o->calls.count; i++) {
		str_addf(out, "	{call_%u, tell_%u, \"", i, i);
		foreign_c_text(out, o->calls.items[i].text);
		str_add(out, "\"},\n");
	}
	str_add(out, "};\n\n");
	str_addf(out, making, o->catches ? WRITE_TRY "\n" : "",
		 o->catches ? "given[GIVEN - 1].p = harness_try((void (*)(void *))calls[n].call, "
			      "given)"
			    : "calls[n].call(given)",
		 o->catches ? "given[GIVEN - 1].p" : "NULL");
}

/* ---- the object ------------------------------------------------------------------------------ */

static void add_object(const struct harness_object *o, struct str *out)
{
	str_addf(out, "static %s *object;\n", o->type);
	write_memory(o, out);
	write_helpers(o, out);
	str_add(out, "static int make(void)\n{\n");
	write_make(o, out);
	str_add(out, "	return object != NULL;\n}\n\nstatic void end(void)\n{\n");
	write_end(o, out);
	str_add(out, "}\n\n");
}

/* ---- orders and runs ------------------------------------------------------------------------- */

static const char orders[] =
	"/* Why a call did not return. The values are those of enum order_stop. */\n"
	"enum stop { NOT_STOPPED, BLOCKED, COMPUTES, WAITS, NO_TIME };\n\n"
	"enum { BATCH = 64, STOPS = 64 };\n"
	"struct told {\n"
	"	volatile int made, calls;\n"
	"	enum stop stopped;\n"
	"	volatile double since, took[CALLS];\n"
	"	char text[CALLS][TOLD];\n"
	"};\n"
	"/* Orders that one child process makes; shared with it. */\n"
	"static struct batch { volatile unsigned done; struct told told[BATCH]; } *batch;\n\n"
	"static double now(clockid_t clock)\n"
	"{\n"
	"	struct timespec t = {0, 0};\n\n"
	"	clock_gettime(clock, &t);\n"
	"	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;\n"
	"}\n\n"
	"static unsigned read_calls(const char *line, unsigned *out)\n"
	"{\n"
	"	unsigned count = 0;\n"
	"	char *end;\n\n"
	"	for (unsigned long n = strtoul(line, &end, 10); end != line && count < CALLS;\n"
	"	     line = end, n = strtoul(line, &end, 10))\n"
	"		out[count++] = (unsigned)n;\n"
	"	return count;\n"
	"}\n\n"
	"/* A number n means call n % THREAD by thread n / THREAD; 0 is the first thread. */\n"
	"enum { THREAD = 65536, THREADS = 8 };\n"
	"struct sequence { unsigned count, calls[CALLS]; };\n\n"
	"static void make_call(const struct sequence *s, unsigned i, struct told *told)\n"
	"{\n"
	"	union given given[GIVEN];\n\n"
	"	told->since = now(CLOCK_MONOTONIC);\n"
	"	make_it(s->calls[i] % THREAD, given);\n"
	"	told->took[i] = now(CLOCK_MONOTONIC) - told->since;\n"
	"	tell_it(s->calls[i] % THREAD, given, told->text[i], sizeof(told->text[i]));\n"
	"	told->calls++;\n"
	"}\n\n"
	"static const struct sequence *sequence;\n"
	"static struct told *telling;\n"
	"static unsigned next;\n"
	"static sem_t turns[THREADS], back;\n\n"
	"static void *by_turns(void *arg)\n"
	"{\n"
	"	for (;;) {\n"
	"		while (sem_wait(arg))\n"
	"			;\n"
	"		make_call(sequence, next, telling);\n"
	"		sem_post(&back);\n"
	"	}\n"
	"	return NULL;\n"
	"}\n\n"
	"static int is_in_threads(const struct sequence *s)\n"
	"{\n"
	"	unsigned i = 0;\n\n"
	"	while (i < s->count && s->calls[i] < THREAD)\n"
	"		i++;\n"
	"	return i < s->count;\n"
	"}\n\n"
	"/* Creates all threads before the first call. */\n"
	"static void make_threads(const struct sequence *s)\n"
	"{\n"
	"	unsigned threads = 1;\n"
	"	pthread_t id;\n\n"
	"	for (unsigned i = 0; i < s->count; i++)\n"
	"		while (threads <= s->calls[i] / THREAD && threads < THREADS) {\n"
	"			sem_init(&turns[threads], 0, 0);\n"
	"			pthread_create(&id, NULL, by_turns, &turns[threads++]);\n"
	"		}\n"
	"}\n\n"
	"static void one_after_the_other(const struct sequence *s, struct told *told)\n"
	"{\n"
	"	told->since = now(CLOCK_MONOTONIC);\n"
	"	if (!make())\n"
	"		return;\n"
	"	told->made = 1;\n"
	"	sequence = s;\n"
	"	telling = told;\n"
	"	make_threads(s);\n"
	"	for (next = 0; next < s->count; next++) {\n"
	"		unsigned thread = s->calls[next] / THREAD;\n\n"
	"		if (!thread) {\n"
	"			make_call(s, next, told);\n"
	"			continue;\n"
	"		}\n"
	"		sem_post(&turns[thread]);\n"
	"		while (sem_wait(&back))\n"
	"			;\n"
	"	}\n"
	"	told->made = 2;\n"
	"}\n\n"
	"static int threads_of(pid_t pid)\n"
	"{\n"
	"	char path[64];\n"
	"	int count = 0;\n"
	"	DIR *dir;\n\n"
	"	snprintf(path, sizeof(path), \"/proc/%d/task\", (int)pid);\n"
	"	dir = opendir(path);\n"
	"	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))\n"
	"		count += e->d_name[0] != '.';\n"
	"	if (dir)\n"
	"		closedir(dir);\n"
	"	return count;\n"
	"}\n\n"
	"enum doing { RUNS, SLEEPS, SLEEPS_FOR_EVER };\n\n"
	"/* A single thread that waits for a futex without a limit waits for ever. */\n"
	"static enum doing state_of(pid_t pid)\n"
	"{\n"
	"	unsigned long call, word, op, value, limit;\n"
	"	char path[64];\n"
	"	FILE *f;\n"
	"	int n;\n\n"
	"	if (threads_of(pid) != 1)\n"
	"		return RUNS;\n"
	"	snprintf(path, sizeof(path), \"/proc/%d/syscall\", (int)pid);\n"
	"	f = fopen(path, \"r\");\n"
	"	if (!f)\n"
	"		return RUNS;\n"
	"	n = fscanf(f, \"%lu %lx %lx %lx %lx\", &call, &word, &op, &value, &limit);\n"
	"	fclose(f);\n"
	"	if (n != 5 || call == (unsigned long)-1)\n"
	"		return RUNS;\n"
	"	return call == 202 && !limit ? SLEEPS_FOR_EVER : SLEEPS;\n"
	"}\n\n"
	"static double processor_of(pid_t pid)\n"
	"{\n"
	"	clockid_t clock;\n\n"
	"	return clock_getcpuclockid(pid, &clock) == 0 ? now(clock) : 0;\n"
	"}\n\n"
	"/* Limits: by the monotonic clock, and of the processor time of children; 0: none. */\n"
	"static double until, most_computed;\n\n"
	"static int is_over(double computed)\n"
	"{\n"
	"	struct rusage all;\n\n"
	"	getrusage(RUSAGE_CHILDREN, &all);\n"
	"	computed += (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +\n"
	"		    (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1e6;\n"
	"	return (until && now(CLOCK_MONOTONIC) > until) ||\n"
	"	       (most_computed && computed > most_computed);\n"
	"}\n\n"
	"/* Resources of one call. Only the last limit depends on the load of the machine. */\n"
	"struct used { unsigned calls; int asleep, ticks; double computed; };\n\n"
	"static enum stop stopped_by(pid_t pid, struct used *u)\n"
	"{\n"
	"	unsigned done = batch->done, made = done * CALLS + (unsigned)batch->told[done % "
	"BATCH].calls;\n"
	"	double computed = processor_of(pid);\n"
	"	enum doing state = state_of(pid);\n\n"
	"	if (u->calls != made || !u->ticks)\n"
	"		*u = (struct used){made, 0, 0, computed};\n"
	"	u->ticks++;\n"
	"	u->asleep += state == SLEEPS;\n"
	"	if (state == SLEEPS_FOR_EVER)\n"
	"		return BLOCKED;\n"
	"	if (computed - u->computed > 0.25)\n"
	"		return COMPUTES;\n"
	"	return u->asleep > 25 || u->ticks > 250 ? WAITS : NOT_STOPPED;\n"
	"}\n\n"
	"/* Returns the wait status, or -1 if the child was killed because its time was over. */\n"
	"static int end_of(pid_t pid)\n"
	"{\n"
	"	const struct timespec tick = {0, 20000000};\n"
	"	struct used u = {0, 0, 0, 0};\n"
	"	sigset_t child;\n"
	"	int status;\n\n"
	"	sigemptyset(&child);\n"
	"	sigaddset(&child, SIGCHLD);\n"
	"	while (waitpid(pid, &status, WNOHANG) != pid) {\n"
	"		enum stop stop;\n\n"
	"		if (sigtimedwait(&child, NULL, &tick) >= 0 || errno != EAGAIN)\n"
	"			continue;\n"
	"		stop = is_over(processor_of(pid)) ? NO_TIME : stopped_by(pid, &u);\n"
	"		if (stop) {\n"
	"			kill(pid, SIGKILL);\n"
	"			waitpid(pid, &status, 0);\n"
	"			batch->told[batch->done % BATCH].stopped = stop;\n"
	"			return -1;\n"
	"		}\n"
	"	}\n"
	"	return status;\n"
	"}\n\n"
	"/* Seconds of each call in microseconds; the last of them may not have returned. */\n"
	"static void report_times(struct told *told)\n"
	"{\n"
	"	if (told->stopped && told->made && told->calls < CALLS)\n"
	"		told->took[told->calls] = now(CLOCK_MONOTONIC) - told->since;\n"
	"	putchar('\\t');\n"
	"	for (int i = 0; told->made && i < told->calls + (told->stopped != NOT_STOPPED); "
	"i++)\n"
	"		printf(\"%s%.0f\", i ? \",\" : \"\", told->took[i] * 1e6);\n"
	"}\n\n"
	"static void report(struct told *told, int status)\n"
	"{\n"
	"	if (status < 0)\n"
	"		printf(\"blocked %d\", told->stopped);\n"
	"	else if (WIFSIGNALED(status))\n"
	"		printf(\"signal %d\", WTERMSIG(status));\n"
	"	else if (told->made == 2)\n"
	"		printf(\"ok 0\");\n"
	"	else if (!told->made && !WEXITSTATUS(status))\n"
	"		printf(\"unmade 0\");\n"
	"	else\n"
	"		printf(\"exit %d\", WEXITSTATUS(status));\n"
	"	printf(\"\\t%d\", told->made ? told->calls : -1);\n"
	"	report_times(told);\n"
	"	for (int i = 0; i < told->calls; i++)\n"
	"		printf(\"\\t%s\", told->text[i]);\n"
	"	putchar('\\n');\n"
	"}\n\n"
	"/* Makes the orders in a child process. */\n"
	"static int run_batch(const struct sequence *s, unsigned count)\n"
	"{\n"
	"	static int nowhere = -1;\n"
	"	sigset_t child;\n"
	"	pid_t pid;\n\n"
	"	batch->done = 0;\n"
	"	for (unsigned i = 0; i < count; i++) {\n"
	"		batch->told[i].made = batch->told[i].calls = 0;\n"
	"		batch->told[i].stopped = NOT_STOPPED;\n"
	"	}\n"
	"	if (nowhere < 0)\n"
	"		nowhere = open(\"/dev/null\", O_RDWR | O_CLOEXEC);\n"
	"	fflush(stdout);\n"
	"	pid = fork();\n"
	"	if (pid < 0)\n"
	"		exit(2);\n"
	"	if (pid > 0)\n"
	"		return end_of(pid);\n"
	"	sigemptyset(&child);\n"
	"	sigaddset(&child, SIGCHLD);\n"
	"	sigprocmask(SIG_UNBLOCK, &child, NULL);\n"
	"	for (int fd = 0; fd < 3; fd++)\n"
	"		dup2(nowhere, fd);\n"
	"	for (unsigned i = 0; i < count; i++) {\n"
	"		one_after_the_other(&s[i], &batch->told[i]);\n"
	"		batch->done = i + 1;\n"
	"	}\n"
	"	_exit(0);\n"
	"}\n\n"
	"/* Orders that were stopped in the last call of `calls`, with what they gave. */\n"
	"static struct stopped { struct sequence begin; struct told told; } *stops;\n"
	"static unsigned stop_count;\n\n"
	"static struct stopped *stopped_like(const struct sequence *s)\n"
	"{\n"
	"	for (unsigned i = 0; i < stop_count; i++)\n"
	"		if (s->count >= stops[i].begin.count &&\n"
	"		    memcmp(s->calls, stops[i].begin.calls, stops[i].begin.count * "
	"sizeof(*s->calls)) == 0)\n"
	"			return &stops[i];\n"
	"	return NULL;\n"
	"}\n\n"
	"static void note_stopped(const struct sequence *s, const struct told *told)\n"
	"{\n"
	"	if (!told->made || stop_count == STOPS)\n"
	"		return;\n"
	"	if (!stops)\n"
	"		stops = calloc(STOPS, sizeof(*stops));\n"
	"	stops[stop_count].begin = *s;\n"
	"	stops[stop_count].begin.count = (unsigned)told->calls + 1;\n"
	"	stops[stop_count++].told = *told;\n"
	"}\n\n"
	"/* Number of orders at the beginning that one process may make. Those in threads have "
	"their own. */\n"
	"static unsigned together(const struct sequence *s, unsigned count)\n"
	"{\n"
	"	unsigned n = 1;\n\n"
	"	if (is_in_threads(s))\n"
	"		return n;\n"
	"	while (n < count && !is_in_threads(&s[n]) && !stopped_like(&s[n]))\n"
	"		n++;\n"
	"	return n;\n"
	"}\n\n"
	"/* Makes and reports the first orders. Returns their number, 0 if the time is over. */\n"
	"static unsigned run_first(const struct sequence *s, unsigned count)\n"
	"{\n"
	"	unsigned n = together(s, count), done;\n"
	"	int status = run_batch(s, n);\n\n"
	"	done = batch->done;\n"
	"	for (unsigned i = 0; i < done; i++)\n"
	"		report(&batch->told[i], 0);\n"
	"	if (done == n)\n"
	"		return is_over(0) ? 0 : n;\n"
	"	if (batch->told[done].stopped == NO_TIME)\n"
	"		return 0;\n"
	"	report(&batch->told[done], status);\n"
	"	if (status < 0)\n"
	"		note_stopped(&s[done], &batch->told[done]);\n"
	"	return done + 1;\n"
	"}\n\n"
	"static int orders(unsigned most)\n"
	"{\n"
	"	static struct sequence s[BATCH];\n"
	"	static char line[256];\n"
	"	unsigned count = 0, done;\n"
	"	sigset_t child;\n\n"
	"	batch = mmap(NULL, sizeof(*batch), PROT_READ | PROT_WRITE, MAP_SHARED | "
	"MAP_ANONYMOUS, -1, 0);\n"
	"	sigemptyset(&child);\n"
	"	sigaddset(&child, SIGCHLD);\n"
	"	sigprocmask(SIG_BLOCK, &child, NULL);\n"
	"	for (;;) {\n"
	"		while (count < most && count < BATCH && fgets(line, sizeof(line), stdin))\n"
	"			s[count].count = read_calls(line, s[count].calls), count++;\n"
	"		if (!count)\n"
	"			return 0;\n"
	"		done = 1;\n"
	"		if (stopped_like(&s[0]))\n"
	"			report(&stopped_like(&s[0])->told, -1);\n"
	"		else\n"
	"			done = run_first(s, count);\n"
	"		if (!done)\n"
	"			return 0;\n"
	"		memmove(s, s + done, (count -= done) * sizeof(*s));\n"
	"	}\n"
	"}\n\n";

static const char run[] =
	"struct thread {\n"
	"	unsigned calls[CALLS], count, after, before;\n"
	"	sem_t ended;\n"
	"	union given given[CALLS][GIVEN];\n"
	"};\n\n"
	"static struct thread threads[CALLS];\n\n"
	"static void *thread(void *arg)\n"
	"{\n"
	"	struct thread *t = arg;\n\n"
	"	for (unsigned i = 0; i < CALLS; i++)\n"
	"		while (t->after & 1u << i && sem_wait(&threads[i].ended))\n"
	"			;\n"
	"	for (unsigned i = 0; i < t->count; i++)\n"
	"		make_it(t->calls[i], t->given[i]);\n"
	"	for (unsigned i = 0; i < t->before; i++)\n"
	"		sem_post(&t->ended);\n"
	"	return NULL;\n"
	"}\n\n"
	"static void tell(const struct thread *t, const char *before, char *out, size_t size)\n"
	"{\n"
	"	for (unsigned i = 0; i < t->count; i++) {\n"
	"		size_t at = strlen(out);\n\n"
	"		at += (size_t)snprintf(out + at, size - at, \"%s\", i ? \" \" : before);\n"
	"		tell_it(t->calls[i], t->given[i], out + at, size - at);\n"
	"	}\n"
	"}\n\n"
	"static int is_atomic(const char *outcome, char **known)\n"
	"{\n"
	"	uint64_t sum = 0xcbf29ce484222325;\n\n"
	"	for (; *outcome; outcome++)\n"
	"		sum = (sum ^ (unsigned char)*outcome) * 0x100000001b3;\n"
	"	while (*known && strtoull(*known, NULL, 16) != sum)\n"
	"		known++;\n"
	"	return *known != NULL;\n"
	"}\n\n"
	"/* \"0 2\": the first thread ends before the third one begins. */\n"
	"static void follow(const char *order)\n"
	"{\n"
	"	unsigned before = (unsigned)atoi(order) + 1, after = (unsigned)atoi(strchr(order, "
	"' ')) + 1;\n\n"
	"	sem_init(&threads[before].ended, 0, 0);\n"
	"	threads[before].before++;\n"
	"	threads[after].after |= 1u << before;\n"
	"}\n\n"
	"static int run(int count, char **argv)\n"
	"{\n"
	"	static char outcome[CALLS * TOLD];\n"
	"	pthread_t ids[CALLS];\n"
	"	int n = 0;\n\n"
	"	for (; n < count && !strchr(\"<=\", *argv[n] ? *argv[n] : ' '); n++)\n"
	"		threads[n].count = read_calls(argv[n], threads[n].calls);\n"
	"	for (argv += n; *argv[0] == '<'; argv++)\n"
	"		follow(*argv + 1);\n"
	"	if (!make())\n"
	"		return 2;\n"
	"	for (int i = 2; i < n; i++)\n"
	"		pthread_create(&ids[i], NULL, thread, &threads[i]);\n"
	"	thread(&threads[1]); /* in this thread: saves one thread in each run */\n"
	"	for (int i = 2; i < n; i++)\n"
	"		pthread_join(ids[i], NULL);\n"
	"	thread(&threads[0]);\n"
	"	for (int i = 1; i < n; i++)\n"
	"		tell(&threads[i], i > 1 ? \" | \" : \"\", outcome, sizeof(outcome));\n"
	"	tell(&threads[0], \" ; \", outcome, sizeof(outcome));\n"
	"	end();\n"
	"	puts(outcome);\n"
	"	return !is_atomic(outcome, argv + 1);\n"
	"}\n\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	if (argc > 1 && strcmp(argv[1], \"run\") == 0)\n"
	"		return run(argc - 2, argv + 2);\n"
	"	until = argc > 2 ? atof(argv[2]) : 0;\n"
	"	most_computed = argc > 3 ? atof(argv[3]) : 0;\n"
	"	return orders(argc > 4 ? (unsigned)atoi(argv[4]) : 1);\n"
	"}\n";

/* Adds the type of results and the size of their text. */
static void add_given(const struct harness_object *o, const bool *used, struct str *out)
{
	bool has_text = write_has_text(o, used);
	size_t most = 1;

	for (unsigned i = 0; i < o->calls.count; i++)
		if (write_room(o, i) > most)
			most = write_room(o, i);
	str_addf(out, "enum { TOLD = %zu };\n", most);
	str_add(out, "union given { long n; unsigned long u; double d; const void *p; ");
	if (has_text)
		str_addf(out, "char text[%d]; ", WRITE_TEXT_ROOM);
	str_add(out, "};\n\n");
	if (has_text)
		write_text_function(out);
}

void write_program(const struct harness_object *o, struct str *out)
{
	bool *used = base_alloc(o->ops.count + 1, sizeof(*used));

	for (size_t i = 0; i < o->ops.count; i++)
		used[i] = !o->ops.items[i].is_out;
	str_add(out, head);
	add_given(o, used, out);
	write_declarations(o, used, out);
	add_object(o, out);
	for (unsigned i = 0; i < o->calls.count; i++) {
		add_function(o, i, out);
		add_teller(o, i, out);
	}
	add_table(o, out);
	str_add(out, orders);
	str_add(out, run);
	base_free(used);
}
