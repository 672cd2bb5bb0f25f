/* Generates a readable test of one harness. */
#include "tracer/harness/model/write.h"

#include "tracer/base/text/foreign.h"

#include <stdio.h>
#include <string.h>

/* JUDGE: lines of is_atomic() without outcomes and final calls. */
enum { LINES = 140, JUDGE = 14 };

/* Variables of one type, declared on one line. */
struct test_variables {
	const char *type;
	struct str names;
};

struct test {
	const struct write_test *t;
	ARRAY(struct test_variables) variables;
	struct str calls[SCHEMA_THREADS], final; /* C statements */
	struct str format, values;		 /* printf() arguments of the outcome */
	struct str functions;			 /* of calls that may throw, for harness_try() */
	unsigned tries;				 /* their number */
	/* Numbers of the last variables r1, r2, ...; o1, ... */
	unsigned results, outs;
	size_t room; /* bytes for the outcome */
	bool visits, dense;
};

/* ---- calls ----------------------------------------------------------------------------------- */

static void declare(struct test *w, const char *type, const char *name, unsigned number,
		    const char *size)
{
	struct test_variables *of = w->variables.items;
	size_t i = 0;

	while (i < w->variables.count && strcmp(of[i].type, type) != 0)
		i++;
	if (i == w->variables.count)
		array_add(&w->variables)->type = type;
	of = &w->variables.items[i];
	str_addf(&of->names, "%s%s%s%u%s", of->names.length ? ", " : "",
		 strchr(type, '*') ? "*" : "", name, number, size);
}

/* Declares a variable for the result. Returns its number. */
static unsigned add_result(struct test *w, const struct harness_op *op, const struct gift *g,
			   struct str *calls)
{
	const unsigned number = ++w->results;
	char name[64];

	if (write_is_text(op)) {
		snprintf(name, sizeof(name), "[%d]", WRITE_TEXT_ROOM);
		declare(w, "char", "r", number, name);
		str_add(calls, "quoted_text(");
	} else {
		declare(w, op->result, "r", number, "");
		str_addf(calls, "r%u = ", number);
	}
	snprintf(name, sizeof(name), "r%u", number);
	write_shown(g, 0, name, &w->format, &w->values);
	return number;
}

/* Declares variables of the arguments. Out-parameters of a call that returned false (variable
   number `result`) are indeterminate and printed as 0. */
static void add_arguments(struct test *w, const struct harness_op *op, const struct gift *gifts,
			  unsigned result)
{
	unsigned n = result != 0;
	char name[64];

	array_each(const struct harness_argument, a, &op->arguments) {
		if (a->kind == HARNESS_OUT)
			declare(w, a->of, "o", ++w->outs, "");
		if ((a->kind != HARNESS_OUT && a->kind != HARNESS_VISITS) || op->varies)
			continue;
		if (a->kind == HARNESS_VISITS)
			declare(w, "long", "v", ++w->results, "");
		if (a->kind == HARNESS_OUT && op->shown == HARNESS_BOOL)
			snprintf(name, sizeof(name), "(r%u ? o%u : 0)", result, w->outs);
		else if (a->kind == HARNESS_OUT)
			snprintf(name, sizeof(name), "o%u", w->outs);
		else
			snprintf(name, sizeof(name), "v%u", w->results);
		write_shown(&gifts[n], n, name, &w->format, &w->values);
		n++;
	}
}

static void add_plain_call(struct test *w, unsigned number, struct str *calls)
{
	const struct harness_object *o = w->t->object;
	const struct harness_call *c = &o->calls.items[number];
	const struct harness_op *op = &o->ops.items[c->op];
	struct gift gifts[GIFTS];
	const bool gives = write_gifts(op, gifts) && !gifts[0].of,
		   visits = harness_count(op, HARNESS_VISITS);
	unsigned result = 0;

	w->visits |= visits;
	w->room += write_room(o, number);
	if (!o->catches)
		foreign_c_format(&w->format, c->text);
	str_add(calls, visits && !op->varies ? "	visits = 0;\n	" : "	");
	if (gives)
		result = add_result(w, op, gifts, calls);
	write_call(o, c, w->outs + 1, calls);
	if (write_is_text(op))
		str_addf(calls, ", r%u)", result);
	str_add(calls, ";\n");
	add_arguments(w, op, gifts, result);
	if (visits && !op->varies)
		str_addf(calls, "	v%u = visits;\n", w->results);
}

/* Moves the statements of a call that may throw to a function, and its result to a text. */
static void add_try(struct test *w, unsigned number, struct str *body, struct str *calls)
{
	const unsigned n = ++w->tries;
	char room[32];

	snprintf(room, sizeof(room), "[%zu]", write_room(w->t->object, number));
	declare(w, "char", "s", n, room);
	declare(w, "const char *", "t", n, "");
	str_addf(&w->functions,
		 "\nstatic void call_%u(void *nothing)\n{\n	(void)nothing;\n%s}\n", n,
		 str_text(body));
	str_addf(calls, "	t%u = harness_try(call_%u, NULL);\n", n, n);
}

static void write_test_add_call(struct test *w, unsigned number, struct str *calls)
{
	struct str format = w->format, values = w->values;
	STR(body);

	if (!w->t->object->catches) {
		add_plain_call(w, number, calls);
		return;
	}
	w->format = w->values = (struct str){0};
	add_plain_call(w, number, &body);
	add_try(w, number, &body, calls);
	str_addf(&values, ", shown(s%u, sizeof(s%u), t%u, \"%s\"%s)", w->tries, w->tries, w->tries,
		 str_text(&w->format), str_text(&w->values));
	foreign_c_format(&format, w->t->object->calls.items[number].text);
	str_add(&format, "%s");
	str_fini(&w->format);
	str_fini(&w->values);
	w->format = format;
	w->values = values;
}

static void add_calls(struct test *w)
{
	const struct schema *s = w->t->schema;

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++) {
			str_add(&w->format, i ? " " : t ? " | " : "");
			write_test_add_call(w, s->calls[t][i], &w->calls[t]);
		}
	for (size_t i = 0; i < w->t->final_count; i++) {
		str_add(&w->format, i ? " " : " ; ");
		write_test_add_call(w, w->t->final[i], &w->final);
	}
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char *const names[SCHEMA_THREADS] = {"first", "second", "third", "fourth"};

/* Appends every second line to the line before it. */
static void join_lines(struct str *s)
{
	bool joins = true;

	for (size_t at = 0; at + 1 < s->length; at++) {
		if (s->text[at] != '\n')
			continue;
		if (joins && s->text[at + 1] == '\t') {
			memmove(s->text + at, s->text + at + 1, s->length - at);
			s->length--;
		}
		if (joins)
			s->text[at] = ' ';
		joins = !joins;
	}
}

/* Adds declarations; lines of the preprocessor are never joined. */
static void add_declarations(struct test *w, const bool *used, struct str *out)
{
	STR(functions);
	STR(variables);

	write_declarations(w->t->object, used, &functions);
	array_each(const struct test_variables, v, &w->variables) {
		int length = (int)strcspn(v->type, "*"); /* "const char *" without the star */

		while (length && v->type[length - 1] == ' ')
			length--;
		str_addf(&variables, "static %.*s %s;\n", length, v->type, str_text(&v->names));
	}
	if (w->dense && !w->t->object->includes.count)
		join_lines(&functions);
	if (w->dense)
		join_lines(&variables);
	str_addf(out, "%s\nstatic %s *object;\n%s", str_text(&functions), w->t->object->type,
		 str_text(&variables));
}

static bool has_order(const struct schema *s)
{
	for (unsigned t = 0; t < s->threads; t++)
		if (s->after[t])
			return true;
	return false;
}

/* Adds the waits of a thread for those that end before it begins. */
static void add_waits(const struct schema *s, unsigned thread, struct str *out)
{
	for (unsigned p = 0; p < s->threads; p++)
		if (s->after[thread] & 1u << p)
			str_addf(out, "	while (sem_wait(&ended[%u]))\n		;\n", p);
}

static void add_posts(const struct schema *s, unsigned thread, struct str *out)
{
	for (unsigned t = 0; t < s->threads; t++)
		if (s->after[t] & 1u << thread)
			str_addf(out, "	sem_post(&ended[%u]);\n", thread);
}

/* Writes what a call gave, or threw. */
static const char shown_text[] = WRITE_TRY
	"static const char *shown(char *out, size_t size, const char *thrown, const char *format, "
	"...)\n"
	"{\n	va_list args;\n\n	va_start(args, format);\n	if (thrown)\n"
	"		snprintf(out, size, \"=%s\", thrown);\n	else\n"
	"		vsnprintf(out, size, format, args);\n	va_end(args);\n	return out;\n}\n";

static void add_top(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;
	bool *used = base_alloc(o->ops.count + 1, sizeof(*used));
	const struct schema *s = w->t->schema;
	STR(schema);

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			used[o->calls.items[s->calls[t][i]].op] = true;
	for (size_t i = 0; i < w->t->final_count; i++)
		used[o->calls.items[w->t->final[i]].op] = true;
	schema_print(o, s, &schema);
	str_add(&schema, ": calls one after the other give the outcomes below.");
	foreign_c_comment(out, w->t->command);
	str_add(out, "\n");
	foreign_c_comment(out, str_text(&schema));
	str_addf(out,
		 "\n#include <pthread.h>\n#include <sched.h>\n%s%s#include <stdio.h>\n"
		 "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n",
		 has_order(s) ? "#include <semaphore.h>\n" : "",
		 o->catches ? "#include <stdarg.h>\n" : "");
	add_declarations(w, used, out);
	write_memory(o, out);
	write_helpers(o, out);
	if (w->visits)
		str_add(out, "static __thread long visits;\n"
			     "static long visit(void)\n{\n	return ++visits == 0;\n}\n");
	if (write_has_text(o, used))
		write_text_function(out);
	if (has_order(s))
		str_addf(out, "static sem_t ended[%u];\n", s->threads);
	if (o->catches)
		str_add(out, shown_text);
	base_free(used);
}

static void add_threads(struct test *w, struct str *out)
{
	const struct schema *s = w->t->schema;

	for (unsigned t = 0; t < s->threads; t++) {
		str_addf(out, "\nstatic void *%s(void *nothing)\n{\n", names[t]);
		add_waits(s, t, out);
		str_add(out, str_text(&w->calls[t]));
		add_posts(s, t, out);
		str_add(out, "	return nothing;\n}\n");
	}
}

/* Adds one outcome a line if there is room for so many lines, else several. */
static void add_atomic(struct test *w, size_t room, struct str *out)
{
	const struct outcomes *known = w->t->atomic;
	size_t count = 0, in_line = 1;

	array_each(const struct harness_outcome, item, known)
		count += item->order != NULL;
	while ((count + in_line - 1) / in_line > room)
		in_line++;
	count = 0;
	array_each(const struct harness_outcome, item, known) {
		if (!item->order)
			continue;
		str_add(out, count % in_line ? ", \""
			     : count	     ? ",\n		\""
					     : "		\"");
		foreign_c_text(out, item->text);
		str_add(out, "\"");
		count++;
	}
	str_add(out, ",\n");
}

/* Adds make(), which also sets variables as they were at the beginning. */
static void add_make(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;

	str_add(out, "\nstatic void make(void)\n{\n");
	write_make(o, out);
	for (unsigned i = 1; i <= w->outs; i++)
		str_addf(out, "%so%u = 0;%s", (i - 1) % 8 ? " " : "	", i,
			 i % 8 && i < w->outs ? "" : "\n");
	str_add(out, "}\n");
}

/* Adds is_atomic(): the final calls, and the outcome. */
static void add_judge(struct test *w, size_t room, struct str *out)
{
	const struct harness_object *o = w->t->object;

	str_add(out,
		"\n/* Ends the object. Returns true if the outcome is that of an order of whole "
		"calls. */\nstatic int is_atomic(void)\n{\n	static const char *const "
		"atomic[] = {\n");
	add_atomic(w, room, out);
	str_addf(out, "	};\n\n%s	snprintf(outcome, sizeof(outcome), \"%s\"%s);\n",
		 str_text(&w->final), str_text(&w->format), str_text(&w->values));
	write_end(o, out);
	str_add(out, "	for (size_t i = 0; i < sizeof(atomic) / sizeof(*atomic); i++)\n"
		     "		if (strcmp(outcome, atomic[i]) == 0)\n"
		     "			return 1;\n"
		     "	return 0;\n}\n");
}

/* The same calls again and again, in threads that run freely. Formatted with the threads'
   functions, their number, a further condition and the number of those that are not main. */
static const char repeat_text[] =
	"\n/* With --for SECONDS: the calls again and again, and how often each outcome came. */\n"
	"static struct { char outcome[sizeof(outcome)]; unsigned long times; int atomic; } "
	"seen[1000];\n"
	"static unsigned long turn, done;\n"
	"static double start; /* of the round */\n\n"
	"static double now(void)\n{\n"
	"	struct timespec t;\n\n"
	"	clock_gettime(CLOCK_MONOTONIC, &t);\n"
	"	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;\n}\n\n"
	"static void await(const unsigned long *count, unsigned long least, double until)\n{\n"
	"	for (long n = 0; __atomic_load_n(count, __ATOMIC_ACQUIRE) < least; n++)\n"
	"		if (n > 1000 && (sched_yield() || (until > 0 && now() > until)))\n"
	"			exit((printf(\"a round does not end\\n\"), 1));\n}\n\n"
	"static void *repeats(void *calls)\n{\n"
	"	for (unsigned long n = 1;; n++) {\n"
	"		await(&turn, n, 0);\n"
	"		while (now() < start)\n"
	"			;\n"
	"		(*(void *(**)(void *))calls)(NULL);\n"
	"		__atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);\n"
	"	}\n"
	"	return NULL;\n}\n\n"
	"static int repeat(double until)\n{\n"
	"	static void *(*calls[])(void *) = {%s};\n"
	"	int wrong = 0, i;\n"
	"	pthread_t id;\n\n"
	"	for (i = 1; i < %u; i++)\n"
	"		pthread_create(&id, NULL, repeats, &calls[i]);\n"
	"	for (unsigned long n = 1; now() < until%s; n++) {\n"
	"		make();\n"
	"		start = now() + 1e-6; /* main is early or late, by less than 0.4 us */\n"
	"		__atomic_store_n(&turn, n, __ATOMIC_RELEASE);\n"
	"		while (now() < start + 1e-8 * (double)(n %% 80) - 4e-7)\n"
	"			;\n"
	"		calls[0](NULL);\n"
	"		await(&done, n * %u, until + 5);\n"
	"		int atomic = is_atomic();\n"
	"		for (i = 0; i < 999 && seen[i].times && strcmp(seen[i].outcome, outcome); "
	"i++)\n"
	"			;\n"
	"		strcpy(seen[i].outcome, outcome);\n"
	"		seen[i].atomic = atomic;\n"
	"		seen[i].times++;\n"
	"		wrong |= !atomic;\n"
	"	}\n"
	"	puts(\"outcome\\ttimes\\tatomic\");\n"
	"	for (i = 0; i < 1000 && seen[i].times; i++)\n"
	"		printf(\"%%s\\t%%lu\\t%%s\\n\", seen[i].outcome, seen[i].times,\n"
	"		       seen[i].atomic ? \"yes\" : \"NO\");\n"
	"	return wrong;\n}\n";

static void add_repeat(struct test *w, struct str *out)
{
	const unsigned threads = w->t->schema->threads;
	STR(calls);

	for (unsigned t = 0; t < threads; t++)
		str_addf(&calls, "%s%s", t ? ", " : "", names[t]);
	/* An object that nothing ends stays: memory limits the number of rounds. */
	str_addf(out, repeat_text, str_text(&calls), threads,
		 w->t->object->make && !w->t->object->end ? " && n <= 100000" : "", threads - 1);
}

static void add_main(struct test *w, struct str *out)
{
	const unsigned threads = w->t->schema->threads;

	str_addf(out,
		 "\nint main(int argc, char **argv)\n{\n	pthread_t threads[%u];\n	"
		 "int atomic;\n\n",
		 threads);
	if (has_order(w->t->schema))
		str_addf(out,
			 "	for (int i = 0; i < %u; i++)\n		sem_init(&ended[i], 0, "
			 "0);\n",
			 threads);
	str_add(out, "	if (argc == 3 && strcmp(argv[1], \"--for\") == 0)\n"
		     "		return repeat(now() + atof(argv[2]));\n	make();\n");
	for (unsigned t = 0; t < threads; t++)
		str_addf(out, "	pthread_create(&threads[%u], NULL, %s, NULL);\n", t, names[t]);
	str_addf(out,
		 "	for (int i = 0; i < %u; i++)\n		pthread_join(threads[i], NULL);\n"
		 "	atomic = is_atomic();\n	puts(outcome);\n	return !atomic;\n}\n",
		 threads);
}

static size_t count_lines(const struct str *s)
{
	size_t count = 0;

	for (const char *at = str_text(s); *at; at++)
		count += *at == '\n';
	return count;
}

/* Drops blank lines from the end until the text has at most `most` lines. */
static void drop_blank(struct str *s, size_t most)
{
	for (size_t lines = count_lines(s), at = s->length; lines > most && at-- > 1;)
		if (s->text[at] == '\n' && s->text[at - 1] == '\n') {
			memmove(s->text + at, s->text + at + 1, s->length - at);
			s->length--;
			lines--;
		}
}

/* Writes the test; with `dense`, declarations and final calls take half the lines. */
static void write_as(const struct write_test *t, bool dense, struct str *out)
{
	struct test w = {.t = t, .dense = dense};
	STR(top);
	STR(rest);
	size_t lines;

	add_calls(&w);
	if (dense)
		join_lines(&w.final);
	add_top(&w, &top);
	str_addf(&top, "static char outcome[%zu];\n", w.room);
	str_add(&top, str_text(&w.functions));
	add_threads(&w, &top);
	add_make(&w, &top);
	add_repeat(&w, &rest);
	add_main(&w, &rest);
	lines = count_lines(&top) + count_lines(&rest) + JUDGE + count_lines(&w.final);
	str_add(out, str_text(&top));
	add_judge(&w, lines < LINES ? LINES - lines : 1, out);
	str_add(out, str_text(&rest));
	drop_blank(out, LINES);
	array_each(struct test_variables, v, &w.variables)
		str_fini(&v->names);
	array_fini(&w.variables);
	for (int i = 0; i < SCHEMA_THREADS; i++)
		str_fini(&w.calls[i]);
	str_fini(&w.final);
	str_fini(&w.functions);
	str_fini(&w.format);
	str_fini(&w.values);
}

void write_test(const struct write_test *t, struct str *out)
{
	write_as(t, false, out);
	if (count_lines(out) > LINES) {
		str_clear(out);
		write_as(t, true, out);
	}
}
