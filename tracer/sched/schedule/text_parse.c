/* Parser of the schedule file. */
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/schedule/text_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schedule_reader {
	const char *source;
	unsigned line;
	const char *at; /* position in the line */
	struct schedule *s;
	struct schedule_head *h;
	struct error *err;
	bool begun;	/* the first line was read */
	bool counted;	/* the line `steps` was read */
	uint64_t steps; /* value of `steps` */
	struct str word;
};

static int text_parse_fail(struct schedule_reader *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static int text_parse_fail(struct schedule_reader *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_vset(p->err, ERROR_SCRIPT, fmt, ap);
	va_end(ap);
	return error_prefix(p->err, "%s:%u: ", p->source, p->line);
}

/* ---- words ------------------------------------------------------------------------------- */

static void skip_blanks(struct schedule_reader *p)
{
	p->at += strspn(p->at, " \t");
}

/* Appends the character of an escape: n, t, r, or x and two digits. */
static bool unescape(struct schedule_reader *p)
{
	static const char letters[] = "ntr", meant[] = "\n\t\r";
	const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
	char digits[3] = {0};
	char c;

	if (letter) {
		p->at++;
		str_add_bytes(&p->word, meant + (letter - letters), 1);
		return true;
	}
	if (p->at[0] != 'x' || !isxdigit((unsigned char)p->at[1]) ||
	    !isxdigit((unsigned char)p->at[2]))
		return false;
	memcpy(digits, p->at + 1, 2);
	c = (char)strtoul(digits, NULL, 16);
	str_add_bytes(&p->word, &c, 1);
	p->at += 3;
	return c != '\0';
}

static int quoted(struct schedule_reader *p)
{
	for (p->at++; *p->at && *p->at != '"';) {
		if (*p->at != '\\') {
			str_add_bytes(&p->word, p->at++, 1);
			continue;
		}
		p->at++;
		if (*p->at == '"' || *p->at == '\\')
			str_add_bytes(&p->word, p->at++, 1);
		else if (!unescape(p))
			return text_parse_fail(
				p,
				"a \\ has to be followed by \", \\, n, t, r, or x and two digits");
	}
	if (!*p->at)
		return text_parse_fail(p, "a quote is not closed");
	p->at++;
	return 0;
}

/* Reads the next word into p->word. `is_null` is set for a plain -. */
static int next_word(struct schedule_reader *p, const char *what, bool *is_null)
{
	size_t n = strcspn(p->at, SCHEDULE_ENDS_WORD "\t");

	str_clear(&p->word);
	*is_null = n == 1 && *p->at == '-';
	if (*p->at == '"')
		return quoted(p);
	if (!n)
		return text_parse_fail(p, "%s is missing", what);
	str_add_bytes(&p->word, p->at, n);
	p->at += n;
	return 0;
}

static int to_number(struct schedule_reader *p, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return text_parse_fail(p, "'%s' is not a number", text);
	return 0;
}

static int to_unsigned(struct schedule_reader *p, const char *text, unsigned *out)
{
	uint64_t n;

	if (to_number(p, text, &n) < 0)
		return -1;
	*out = (unsigned)n;
	return n == *out ? 0 : text_parse_fail(p, "%s is too large", text);
}

/* ---- a step ------------------------------------------------------------------------------ */

/* Reads the step's number. `pending` is set for - instead. */
static int parse_number(struct schedule_reader *p, bool *pending)
{
	uint64_t number;

	if (next_word(p, "a step's number", pending) < 0)
		return -1;
	if (*pending)
		return 0;
	if (to_number(p, str_text(&p->word), &number) < 0)
		return -1;
	if (number != p->s->steps.count + 1)
		return text_parse_fail(p, "expected step %zu, got step %llu", p->s->steps.count + 1,
				       (unsigned long long)number);
	return 0;
}

static int parse_op(struct schedule_reader *p, enum strategy_op *out)
{
	bool is_null;

	skip_blanks(p);
	if (next_word(p, "the operation", &is_null) < 0)
		return -1;
	for (size_t i = 0; i < SCHEDULE_OPS; i++) {
		*out = (enum strategy_op)i;
		if (strcmp(schedule_op_names[i], str_text(&p->word)) == 0)
			return 0;
	}
	return text_parse_fail(p, "there is no operation '%s'", str_text(&p->word));
}

/* Splits the word at the last `sign`; a number follows the sign. */
static int split(struct schedule_reader *p, char sign, const char **text, uint64_t *number)
{
	char *at = p->word.text ? strrchr(p->word.text, sign) : NULL;

	if (!at)
		return text_parse_fail(p, "'%s' has no %c", str_text(&p->word), sign);
	*at = '\0';
	*text = *p->word.text ? schedule_text(p->s, p->word.text) : NULL;
	return to_number(p, at + 1, number);
}

static int parse_brackets(struct schedule_reader *p, struct schedule_where *w)
{
	const char **texts[] = {&w->func, &w->call, &w->var};
	bool is_null;

	for (size_t i = 0; i < 3; i++) {
		p->at++;
		skip_blanks(p);
		if (next_word(p, "the text in the brackets", &is_null) < 0)
			return -1;
		*texts[i] = is_null ? NULL : schedule_text(p->s, str_text(&p->word));
		if (*p->at != ',')
			break;
	}
	if (*p->at != ')')
		return text_parse_fail(p, "a ) is missing");
	p->at++;
	return 0;
}

static int parse_where(struct schedule_reader *p, struct schedule_where *w)
{
	uint64_t line = 0;
	bool is_null;

	skip_blanks(p);
	if (next_word(p, "the place", &is_null) < 0)
		return -1;
	if (!is_null && split(p, ':', &w->file, &line) < 0)
		return -1;
	w->line = (unsigned)line;
	skip_blanks(p);
	return *p->at == '(' ? parse_brackets(p, w) : 0;
}

static int parse_flag(struct schedule_reader *p, struct schedule_step *step)
{
	const char *word = str_text(&p->word);

	if (strcmp(word, "choice") == 0)
		step->others = true;
	else if (strcmp(word, "preempts") == 0)
		step->preempts = true;
	else if (strcmp(word, "writes") == 0)
		step->point.writes = true;
	else
		return text_parse_fail(p, "'%s' is not a known word", word);
	return 0;
}

/* Parses MODULE+0xOFFSET. */
static int parse_address(struct schedule_reader *p, uint64_t *out)
{
	const char *module;
	uint64_t offset;

	if (split(p, '+', &module, &offset) < 0)
		return -1;
	if (!module)
		return text_parse_fail(p, "the name of a module is missing before +0x%llx",
				       (unsigned long long)offset);
	schedule_module(p->s, module);
	*out = address_of(module, offset);
	return 0;
}

/* Parses the object. Hashes of names have bit 63 clear, so that they differ from addresses
   (address_of_module). */
static int parse_object(struct schedule_reader *p, struct schedule_step *step)
{
	static const char *const names[] = {"thread:", "stack:", "memory:", "#"};
	const char *value = str_text(&p->word);

	step->point.object = STRATEGY_ANY_OBJECT;
	if (strcmp(value, "any") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(value, names[i], strlen(names[i])) != 0)
			continue;
		step->point.object = hash_text(HASH_START, value) >> 1;
		step->where.memory = schedule_text(p->s, value);
		return 0;
	}
	if (parse_address(p, &step->point.fixed) < 0)
		return -1;
	step->point.object = step->point.fixed;
	return 0;
}

static int parse_pair(struct schedule_reader *p, const char *key, struct schedule_step *step)
{
	const char *value = str_text(&p->word);

	if (strcmp(key, "code") == 0)
		return split(p, '+', &step->where.object, &step->where.address);
	if (strcmp(key, "at") == 0)
		return parse_address(p, &step->point.place);
	if (strcmp(key, "as") == 0)
		return to_unsigned(p, value, &step->point.thread);
	if (strcmp(key, "object") == 0)
		return parse_object(p, step);
	return text_parse_fail(p, "'%s=' is not a known key", key);
}

static int parse_machine(struct schedule_reader *p, struct schedule_step *step)
{
	char key[16] = "";
	bool is_null;
	int n = 0;

	sscanf(p->at, "%15[a-z]=%n", key, &n);
	p->at += n;
	if (next_word(p, "a value", &is_null) < 0)
		return -1;
	return n ? parse_pair(p, key, step) : parse_flag(p, step);
}

static int parse_step(struct schedule_reader *p)
{
	struct schedule_step step = {0};
	bool is_null, pending;

	if (!p->counted)
		return text_parse_fail(p, "a step before the line 'steps: N'");
	if (parse_number(p, &pending) < 0)
		return -1;
	skip_blanks(p);
	if (next_word(p, "the thread", &is_null) < 0)
		return -1;
	step.thread = step.point.thread = schedule_thread(p->s, str_text(&p->word));
	if (parse_op(p, &step.point.op) < 0 || parse_where(p, &step.where) < 0)
		return -1;
	for (skip_blanks(p); *p->at; skip_blanks(p))
		if (parse_machine(p, &step) < 0)
			return -1;
	if (pending)
		*array_add(&p->s->pending) = step;
	else
		*array_add(&p->s->steps) = step;
	return 0;
}

/* ---- the head ---------------------------------------------------------------------------- */

/* Reads the rest of the line into p->word. */
static int parse_value(struct schedule_reader *p)
{
	str_clear(&p->word);
	if (*p->at != '"') {
		str_add(&p->word, p->at);
		return 0;
	}
	if (quoted(p) < 0)
		return -1;
	return *p->at ? text_parse_fail(p, "the quote is followed by something") : 0;
}

static int parse_program(struct schedule_reader *p)
{
	p->at += strlen(SCHEDULE_PROGRAM);
	if (parse_value(p) < 0)
		return -1;
	base_free(p->h->program);
	p->h->program = base_strdup(str_text(&p->word));
	return 0;
}

static int parse_option(struct schedule_reader *p, size_t length)
{
	char *key = base_strndup(p->at, length);
	int answer;

	p->at += length + 1;
	skip_blanks(p);
	answer = parse_value(p);
	if (answer == 0 && strcmp(key, "steps") == 0) {
		p->counted = true;
		answer = to_number(p, str_text(&p->word), &p->steps);
	} else if (answer == 0) {
		schedule_option_add(p->h, key, str_text(&p->word));
	}
	base_free(key);
	return answer;
}

/* Checks the format. Addresses of format 1 were those of one process. */
static int parse_first(struct schedule_reader *p)
{
	p->begun = strcmp(p->at, SCHEDULE_FIRST_LINE) == 0;
	if (p->begun)
		return 0;
	if (strncmp(p->at, SCHEDULE_WORDS, strlen(SCHEDULE_WORDS)) == 0)
		return text_parse_fail(
			p,
			"a schedule of format %s, written by %s gatectl: this one reads format %s; "
			"search again with `gatectl explore`",
			p->at + strlen(SCHEDULE_WORDS),
			atoi(p->at + strlen(SCHEDULE_WORDS)) < atoi(SCHEDULE_FORMAT) ? "an older"
										     : "a newer",
			SCHEDULE_FORMAT);
	return text_parse_fail(p, "this is not a schedule, whose first line is '%s'",
			       SCHEDULE_FIRST_LINE);
}

static int parse_line(struct schedule_reader *p)
{
	size_t key = strspn(p->at, "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	if (!p->begun)
		return parse_first(p);
	if (strncmp(p->at, SCHEDULE_PROGRAM, strlen(SCHEDULE_PROGRAM)) == 0)
		return parse_program(p);
	if (*p->at == '#')
		return 0;
	if (key && p->at[key] == ':')
		return parse_option(p, key);
	skip_blanks(p);
	return *p->at ? parse_step(p) : 0;
}

int schedule_parse(const char *text, const char *source, struct schedule *s,
		   struct schedule_head *h, struct error *err)
{
	struct schedule_reader p = {.source = source, .s = s, .h = h, .err = err};
	int answer = 0;

	do {
		size_t length = strcspn(text, "\n");
		char *line = base_strndup(text, length);

		p.at = line;
		p.line++;
		answer = parse_line(&p);
		base_free(line);
		text += length + (text[length] == '\n');
	} while (answer == 0 && *text);
	if (answer == 0 && (!p.counted || p.steps != s->steps.count))
		answer = text_parse_fail(&p, "the schedule ends after %zu of %llu steps",
					 s->steps.count, (unsigned long long)p.steps);
	str_fini(&p.word);
	return answer;
}
