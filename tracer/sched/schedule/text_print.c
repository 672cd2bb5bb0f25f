/* Printer of the schedule file, with aligned columns. */
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/schedule/text_internal.h"
#include "tracer/base/table.h"

#include "tracer/base/text/foreign.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longer texts do not widen a column. */
enum { WIDEST = 64 };

const char *const schedule_op_names[SCHEDULE_OPS] = {
	[STRATEGY_START] = "start",	  [STRATEGY_CREATE] = "create", [STRATEGY_END] = "end",
	[STRATEGY_LOCK] = "lock",	  [STRATEGY_UNLOCK] = "unlock", [STRATEGY_WAIT] = "wait",
	[STRATEGY_SIGNAL] = "signal",	  [STRATEGY_READ] = "read",	[STRATEGY_WRITE] = "write",
	[STRATEGY_ATOMIC] = "atomic",	  [STRATEGY_YIELD] = "yield",	[STRATEGY_BLOCK] = "block",
	[STRATEGY_TIMEOUT] = "timeout",	  [STRATEGY_WAKE] = "wake",	[STRATEGY_LINE] = "line",
	[STRATEGY_SPURIOUS] = "spurious",
};

const char *schedule_op(enum strategy_op op)
{
	return schedule_op_names[op];
}

void schedule_head_fini(struct schedule_head *h)
{
	base_free(h->program);
	h->program = NULL;
	array_each(struct schedule_option, o, &h->options) {
		base_free(o->key);
		base_free(o->value);
	}
	array_fini(&h->options);
}

void schedule_option_add(struct schedule_head *h, const char *key, const char *value)
{
	struct schedule_option *o = array_add(&h->options);

	o->key = base_strdup(key);
	o->value = base_strdup(value);
}

const char *schedule_option(const struct schedule_head *h, const char *key, size_t k)
{
	array_each(const struct schedule_option, o, &h->options)
		if (strcmp(o->key, key) == 0 && k-- == 0)
			return o->value;
	return NULL;
}

/* ---- words ------------------------------------------------------------------------------- */

/* Adds a word. NULL is printed as -, so the text "-" is quoted. */
static void text_print_add_word(struct str *out, const char *text)
{
	if (!text)
		str_add(out, "-");
	else if (!*text || strcmp(text, "-") == 0 || strpbrk(text, SCHEDULE_ENDS_WORD) ||
		 !foreign_is_plain(text))
		foreign_lua_string(out, text);
	else
		str_add(out, text);
}

static void text_print_add_value(struct str *out, const char *text)
{
	size_t n = strlen(text);

	if (!n || *text == '"' || *text == ' ' || text[n - 1] == ' ' || !foreign_is_plain(text))
		foreign_lua_string(out, text);
	else
		str_add(out, text);
	str_add(out, "\n");
}

/* ---- steps ------------------------------------------------------------------------------- */

static void add_where(struct str *out, const struct schedule_where *w)
{
	const char *texts[] = {w->func, w->call, w->var};
	size_t known = w->var ? 3 : w->call ? 2 : w->func ? 1 : 0;
	STR(line);

	if (w->file)
		str_addf(&line, "%s:%u", w->file, w->line);
	text_print_add_word(out, line.text);
	for (size_t i = 0; i < known; i++) {
		str_add(out, i ? ", " : " (");
		text_print_add_word(out, texts[i]);
	}
	if (known)
		str_add(out, ")");
}

static void add_code(struct str *out, const struct schedule_where *w)
{
	STR(code);

	if (!w->object && !w->address)
		return;
	str_addf(&code, "%s+0x%llx", w->object ? w->object : "", (unsigned long long)w->address);
	str_add(out, " code=");
	text_print_add_word(out, code.text);
}

struct layout {
	int number, thread, where; /* widths of columns */
	unsigned *listed; /* by thread: its order in the file so far, from 1; 0: not printed yet */
	unsigned threads;
	struct table objects; /* objects without a name -> their order */
};

static void text_print_add_address(const struct schedule *s, uint64_t address, struct str *out)
{
	const char *module = schedule_module_at(s, address);
	STR(text);

	str_addf(&text, "%s+0x%llx", module ? module : "[unknown]",
		 (unsigned long long)address_offset(address));
	text_print_add_word(out, text.text);
}

/* Adds "#2" for the second unnamed object: memory of a schedule that is not described has no
   name. */
static void add_unnamed(struct layout *l, uint64_t object, struct str *out)
{
	uint64_t *number = table_at(&l->objects, table_mix(object, 0));

	if (!*number)
		*number = l->objects.count;
	str_addf(out, "#%llu", (unsigned long long)*number);
}

static void add_object(const struct schedule *s, const struct schedule_step *step, struct layout *l,
		       struct str *out)
{
	const struct strategy_point *p = &step->point;

	if (p->object == STRATEGY_NO_OBJECT)
		return;
	str_add(out, " object=");
	if (p->object == STRATEGY_ANY_OBJECT)
		str_add(out, "any");
	else if (p->fixed)
		text_print_add_address(s, p->fixed, out);
	else if (step->where.memory)
		text_print_add_word(out, step->where.memory);
	else
		add_unnamed(l, p->object, out);
}

static unsigned listed(struct layout *l, unsigned thread)
{
	if (!l->listed[thread])
		l->listed[thread] = ++l->threads;
	return l->listed[thread] - 1;
}

/* Adds fields for machines. A reader numbers threads in the order of the file: `as` is printed
   where the thread's number differs. */
static void add_machine(const struct schedule *s, const struct schedule_step *step,
			struct layout *l, struct str *out)
{
	const struct strategy_point *p = &step->point;

	str_add(out, step->others ? " choice" : "");
	str_add(out, step->preempts ? " preempts" : "");
	str_add(out, p->writes ? " writes" : "");
	add_object(s, step, l, out);
	if (p->place) {
		str_add(out, " at=");
		text_print_add_address(s, p->place, out);
	}
	add_code(out, &step->where);
	if (p->thread != listed(l, step->thread))
		str_addf(out, " as=%u", p->thread);
	while (out->text[out->length - 1] == ' ') /* padding of a column that nothing follows */
		out->length--;
	str_add(out, "\n");
}

static void widen(int *width, size_t length)
{
	if (length <= WIDEST && (int)length > *width)
		*width = (int)length;
}

static void measure(const struct schedule *s, const struct schedule_step *step, struct layout *l)
{
	STR(text);

	add_where(&text, &step->where);
	widen(&l->where, text.length);
	str_clear(&text);
	text_print_add_word(&text, s->threads.items[step->thread]);
	widen(&l->thread, text.length);
}

static struct layout measure_all(const struct schedule *s)
{
	struct layout l = {.number = snprintf(NULL, 0, "%zu", s->steps.count)};

	l.listed = base_alloc(s->threads.count + 1, sizeof(*l.listed));
	array_each(const struct schedule_step, step, &s->steps)
		measure(s, step, &l);
	array_each(const struct schedule_step, step, &s->pending)
		measure(s, step, &l);
	return l;
}

static void add_padded(struct str *out, struct str *text, int width)
{
	str_addf(out, "  %-*s", width, str_text(text));
	str_clear(text);
}

static void text_print_add_step(const struct schedule *s, const struct schedule_step *step,
				struct layout *l, struct str *out)
{
	STR(text);

	text_print_add_word(&text, s->threads.items[step->thread]);
	add_padded(out, &text, l->thread);
	str_addf(out, "  %-7s", schedule_op(step->point.op));
	add_where(&text, &step->where);
	add_padded(out, &text, l->where);
	str_add(out, " ");
	add_machine(s, step, l, out);
}

void schedule_print(const struct schedule *s, const struct schedule_head *h, struct str *out)
{
	struct layout l = measure_all(s);
	size_t number = 0;

	str_add(out, SCHEDULE_FIRST_LINE "\n");
	if (h->program) {
		str_add(out, SCHEDULE_PROGRAM);
		text_print_add_value(out, h->program);
	}
	array_each(const struct schedule_option, o, &h->options) {
		str_addf(out, "%s: ", o->key);
		text_print_add_value(out, o->value);
	}
	str_addf(out, "steps: %zu\n\n", s->steps.count);
	array_each(const struct schedule_step, step, &s->steps) {
		str_addf(out, "%*zu", l.number, ++number);
		text_print_add_step(s, step, &l, out);
	}
	array_each(const struct schedule_step, step, &s->pending) {
		str_addf(out, "%*s", l.number, "-");
		text_print_add_step(s, step, &l, out);
	}
	base_free(l.listed);
	table_fini(&l.objects);
}

void schedule_add_spurious(const struct schedule *s, size_t count, struct str *out)
{
	for (size_t i = 0; i < count && i < s->steps.count; i++) {
		const struct schedule_step *step = &s->steps.items[i];

		if (step->point.op != STRATEGY_SPURIOUS)
			continue;
		str_addf(out, "%s's wait ", s->threads.items[step->thread]);
		if (step->where.file)
			str_addf(out, "at %s:%u ", str_base_name(step->where.file),
				 step->where.line);
		str_add(out, "returns without a signal (POSIX permits it)\n");
	}
}
