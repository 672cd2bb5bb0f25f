/* Generates a readable test of one harness. */
#include "tracer/harness/model/write.h"

#include "tracer/base/text/foreign.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 60 };

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

static void write_test_add_call(struct test *w, unsigned number, struct str *calls)
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
	str_add(out, "\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n");
	add_declarations(w, used, out);
	write_memory(o, out);
	if (w->visits)
		str_add(out, "static __thread long visits;\n"
			     "static long visit(void)\n{\n	return ++visits == 0;\n}\n");
	if (write_has_text(o, used))
		write_text_function(out);
	base_free(used);
}

static void add_threads(struct test *w, struct str *out)
{
	for (unsigned t = 0; t < w->t->schema->threads; t++)
		str_addf(out, "\nstatic void *%s(void *nothing)\n{\n%s	return nothing;\n}\n",
			 names[t], str_text(&w->calls[t]));
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

static void add_main(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;
	const unsigned threads = w->t->schema->threads;

	str_addf(out, "	};\n	pthread_t threads[%u];\n	char outcome[%zu];\n\n", threads,
		 w->room);
	write_make(o, out);
	for (unsigned t = 0; t < threads; t++)
		str_addf(out, "	pthread_create(&threads[%u], NULL, %s, NULL);\n", t, names[t]);
	str_addf(out,
		 "	for (int i = 0; i < %u; i++)\n		pthread_join(threads[i], "
		 "NULL);\n%s",
		 threads, str_text(&w->final));
	str_addf(out, "	snprintf(outcome, sizeof(outcome), \"%s\"%s);\n", str_text(&w->format),
		 str_text(&w->values));
	if (o->end)
		str_addf(out, "	%s(object);\n", o->end);
	str_add(out, "	puts(outcome);\n"
		     "	for (size_t i = 0; i < sizeof(atomic) / sizeof(*atomic); i++)\n"
		     "		if (strcmp(outcome, atomic[i]) == 0)\n"
		     "			return 0;\n"
		     "	return 1;\n}\n");
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
	STR(start);
	size_t lines;

	add_calls(&w);
	if (dense)
		join_lines(&w.final);
	add_top(&w, &top);
	add_threads(&w, &top);
	add_main(&w, &start);
	str_add(&top, "\nint main(void)\n{\n	static const char *const atomic[] = {\n");
	lines = count_lines(&top) + count_lines(&start);
	str_add(out, str_text(&top));
	add_atomic(&w, lines < LINES ? LINES - lines : 1, out);
	str_add(out, str_text(&start));
	drop_blank(out, LINES);
	array_each(struct test_variables, v, &w.variables)
		str_fini(&v->names);
	array_fini(&w.variables);
	for (int i = 0; i < SCHEMA_THREADS; i++)
		str_fini(&w.calls[i]);
	str_fini(&w.final);
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
