/* The test of one harness, for people. */
#include "tracer/harness/model/write.h"

#include "tracer/base/text/foreign.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 60 };

/* Variables of one type, on one line. */
struct test_variables {
	const char *type;
	struct str names;
};

struct test {
	const struct write_test *t;
	ARRAY(struct test_variables) variables;
	struct str calls[SCHEMA_THREADS], final; /* of C */
	struct str format, values;		 /* of the outcome */
	unsigned results, outs;			 /* so far: r1, r2; o1 */
	size_t room;				 /* for the outcome */
	unsigned called;			 /* the result of this call */
	bool visits, dense;
};

/* ---- calls ------------------------------------------------------------------------------------------- */

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

/* Of "const char *" what stands before the star. */
static int base_length(const char *type)
{
	size_t length = strcspn(type, "*");

	while (length && type[length - 1] == ' ')
		length--;
	return (int)length;
}

static void add_variables(const struct test *w, struct str *out)
{
	array_each(const struct test_variables, v, &w->variables)
		str_addf(out, "static %.*s %s;\n", base_length(v->type), v->type,
			 str_text(&v->names));
}

static void write_test_show(struct test *w, enum harness_shown shown, const char *name,
			    unsigned number, bool *first)
{
	char variable[64];

	snprintf(variable, sizeof(variable), number ? "%s%u" : "%s", name, number);
	str_addf(&w->format, "%s%s", *first ? "=" : ",", write_format(shown));
	str_add(&w->values, ", ");
	write_shown(shown, variable, &w->values);
	*first = false;
}

/* The variable that is the call's `out`-th; of a call that has said false nobody looks at it. */
static void show_out(struct test *w, const struct harness_op *op, enum harness_shown shown,
		     unsigned out, bool *first)
{
	char text[48];

	if (op->varies)
		return;
	if (op->shown == HARNESS_BOOL) {
		snprintf(text, sizeof(text), "(r%u ? o%u : 0)", w->called, out);
		write_test_show(w, shown, text, 0, first);
	} else {
		write_test_show(w, shown, "o", out, first);
	}
}

static void show_arguments(struct test *w, const struct harness_op *op, unsigned out, bool *first)
{
	array_each(const struct harness_argument, a, &op->arguments) {
		if (a->kind == HARNESS_OUT) {
			declare(w, a->of, "o", out, "");
			show_out(w, op, a->shown, out++, first);
		}
		if (a->kind == HARNESS_VISITS && !op->varies) {
			declare(w, "long", "v", ++w->results, "");
			write_test_show(w, HARNESS_SIGNED, "v", w->results, first);
		}
		w->visits |= a->kind == HARNESS_VISITS;
	}
}

static unsigned count_outs(const struct harness_op *op)
{
	unsigned count = 0;

	array_each(const struct harness_argument, a, &op->arguments)
		count += a->kind == HARNESS_OUT;
	return count;
}

static bool is_visiting(const struct harness_op *op)
{
	array_each(const struct harness_argument, a, &op->arguments)
		if (a->kind == HARNESS_VISITS)
			return !op->varies;
	return false;
}

/* Up to the call itself. */
static void begin_call(struct test *w, const struct harness_op *op, struct str *calls)
{
	bool first = true;
	char size[16];

	str_add(calls, is_visiting(op) ? "	visits = 0;\n	" : "	");
	if (op->shown == HARNESS_NOTHING || op->varies)
		return;
	w->results++;
	if (write_is_text(op)) {
		snprintf(size, sizeof(size), "[%d]", WRITE_TEXT_ROOM);
		declare(w, "char", "r", w->results, size);
		str_add(calls, "quoted_text(");
	} else {
		declare(w, op->result, "r", w->results, "");
		str_addf(calls, "r%u = ", w->results);
	}
	write_test_show(w, op->shown, "r", w->results, &first);
}

static void write_test_add_call(struct test *w, unsigned number, struct str *calls)
{
	const struct harness_object *o = w->t->object;
	const struct harness_call *c = &o->calls.items[number];
	const struct harness_op *op = &o->ops.items[c->op];
	unsigned out = w->outs + 1;
	bool first = op->shown == HARNESS_NOTHING || op->varies;

	w->outs += count_outs(op);
	w->room += write_room(o, number);
	foreign_c_format(&w->format, c->text);
	begin_call(w, op, calls);
	w->called = w->results;
	write_call_text(o, c, "o", out, calls);
	if (write_is_text(op))
		str_addf(calls, ", r%u)", w->called);
	str_add(calls, ";\n");
	show_arguments(w, op, out, &first);
	if (is_visiting(op))
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

/* ---- the program ----------------------------------------------------------------------------------------- */

static const char *const names[SCHEMA_THREADS] = {"first", "second", "third", "fourth"};

/* Each second line goes behind the one before it. */
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

/* Lines of the preprocessor stay as they are. */
static void add_declarations(struct test *w, const bool *used, struct str *out)
{
	struct str functions = {0}, variables = {0};

	write_declarations(w->t->object, used, &functions);
	add_variables(w, &variables);
	if (w->dense && !w->t->object->includes.count)
		join_lines(&functions);
	if (w->dense)
		join_lines(&variables);
	str_addf(out, "%s\nstatic %s *object;\n%s", str_text(&functions), w->t->object->type,
		 str_text(&variables));
	str_fini(&functions);
	str_fini(&variables);
}

static void add_top(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;
	bool *used = base_alloc(o->ops.count + 1, sizeof(*used));
	const struct schema *s = w->t->schema;
	struct str schema = {0};

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			used[o->calls.items[s->calls[t][i]].op] = true;
	for (size_t i = 0; i < w->t->final_count; i++)
		used[o->calls.items[w->t->final[i]].op] = true;
	schema_print(o, s, &schema);
	str_add(&schema, ": whole calls, one after the other, give the outcomes below.");
	foreign_c_comment(out, w->t->command);
	str_add(out, "\n");
	foreign_c_comment(out, str_text(&schema));
	str_fini(&schema);
	str_add(out, "\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n");
	add_declarations(w, used, out);
	if (o->memory)
		str_addf(out, "static _Alignas(64) char memory[%llu];\n",
			 (unsigned long long)o->memory);
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

/* Each outcome on a line of its own, if there is room for so many lines. */
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

static void write_test_add_start(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;
	unsigned threads = w->t->schema->threads;

	if (o->memory)
		str_add(out, "	object = (void *)memory;\n");
	if (o->make)
		str_addf(out, "	%s\n", o->make);
	for (unsigned t = 0; t < threads; t++)
		str_addf(out, "	pthread_create(&threads[%u], NULL, %s, NULL);\n", t, names[t]);
	str_addf(out,
		 "	for (int i = 0; i < %u; i++)\n		pthread_join(threads[i], "
		 "NULL);\n%s",
		 threads, str_text(&w->final));
}

static void write_test_add_end(struct test *w, struct str *out)
{
	const struct harness_object *o = w->t->object;

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

/* Blank lines are the first to go where it is too long. */
static void drop_blank(struct str *s, size_t most)
{
	for (size_t lines = count_lines(s), at = s->length; lines > most && at-- > 1;)
		if (s->text[at] == '\n' && s->text[at - 1] == '\n') {
			memmove(s->text + at, s->text + at + 1, s->length - at);
			s->length--;
			lines--;
		}
}

/* `dense`: what is declared, and what is done in the end, takes half the lines. */
static void write_as(const struct write_test *t, bool dense, struct str *out)
{
	struct test w = {.t = t, .dense = dense};
	struct str top = {0}, start = {0};
	size_t lines;

	add_calls(&w);
	if (dense)
		join_lines(&w.final);
	add_top(&w, &top);
	add_threads(&w, &top);
	str_addf(&start, "	};\n	pthread_t threads[%u];\n	char outcome[%zu];\n\n",
		 t->schema->threads, w.room);
	write_test_add_start(&w, &start);
	write_test_add_end(&w, &start);
	str_add(&top, "\nint main(void)\n{\n	static const char *const atomic[] = {\n");
	lines = count_lines(&top) + count_lines(&start);
	str_add(out, str_text(&top));
	add_atomic(&w, lines < LINES ? LINES - lines : 1, out);
	str_add(out, str_text(&start));
	drop_blank(out, LINES);
	str_fini(&top);
	str_fini(&start);
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
