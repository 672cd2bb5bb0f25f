/* The syntax of orders: parses text into edges, prints names. */
#include "gates/engine_internal.h"

#include "tracer/base/text/foreign.h"

#include <string.h>

/*
 *	order := chain { "," chain }
 *	chain := left { "->" name }		left: a name, or [name]
 *	name  := text [ "@" thread ]		text in single quotes where it contains -> , or @
 */
struct parse {
	const char *text, *at;
	const char *source;
	struct error *err;
};

/* On the command line the source already says it: "--order". */
const char *order_word(const char *source)
{
	return strcmp(source, "--order") == 0 ? "" : "order: ";
}

static int order_hint(struct error *err)
{
	return error_hint(err, "an order reads like a -> b, b -> c, [d] -> e; quote with ' what "
			       "contains -> , or @");
}

static int order_fail(struct parse *p, const char *what)
{
	struct str shown = {0};

	foreign_line(&shown, p->text);
	error_set(p->err, ERROR_SCRIPT, "%s: %s%s in \"%s\"", p->source, order_word(p->source),
		  what, str_text(&shown));
	str_fini(&shown);
	return order_hint(p->err);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

static bool at_arrow(const char *at)
{
	return at[0] == '-' && at[1] == '>';
}

/* True if a name can end after the quote; a quote inside a name is allowed: 'f;c = 'x''. */
static bool quote_ends(const char *quote)
{
	const char *next = skip_blanks(quote + 1);

	return !*next || *next == '@' || *next == ',' || *next == ']' || at_arrow(next);
}

static char *trimmed(const char *from, const char *to)
{
	from = skip_blanks(from);
	while (to > from && is_blank(to[-1]))
		to--;
	return to > from ? base_strndup(from, (size_t)(to - from)) : NULL;
}

/* End of an unquoted name. Brackets inside the text (f;a[i] = 1) are balanced. */
static const char *plain_end(const char *at, bool stop_at_thread)
{
	unsigned depth = 0;

	for (; *at && *at != ',' && !at_arrow(at) && !(stop_at_thread && *at == '@'); at++) {
		if (*at == '[')
			depth++;
		else if (*at == ']' && depth-- == 0)
			break;
	}
	return at;
}

/*
 * True for an arrow of C in a location's text, as in "f;q->head = 1 -> g": the order's own arrows
 * have blanks.
 */
static bool is_member_access(const char *text, const char *from, const char *arrow)
{
	return at_arrow(arrow) && !is_blank(arrow[-1]) && arrow[2] &&
	       !strchr(" \t\n\r'[", arrow[2]) && memchr(from, ';', (size_t)(arrow - from)) &&
	       strstr(text, " -> ");
}

/* Returns the @ before the thread that ends a text, as in "f;q->head@worker#1", or NULL. */
static const char *thread_at(const char *text)
{
	const char *at = strrchr(text, '@');
	size_t length = at ? strlen(at + 1) : 0;

	return length && at > text && !strpbrk(at, ".; \t\n'\"") ? at : NULL;
}

/* Appends a location in quotes, and its thread, if it has one, after them. */
static void order_add_quoted(const char *name, struct str *out)
{
	const char *thread = thread_at(name);

	str_addf(out, "'%.*s'%s", (int)(thread ? (size_t)(thread - name) : strlen(name)), name,
		 thread ? thread : "");
}

/* Sets the hint to the command line's option with the name quoted, which stands at `from`. Texts
   that a shell changes inside double quotes are left to the general hint. */
static int hint_quoted(struct parse *p, const char *from, const char *name)
{
	STR(order);

	if (strpbrk(p->text, "\"$`\\!\n") || *order_word(p->source))
		return order_hint(p->err);
	str_add_bytes(&order, p->text, (size_t)(from - p->text));
	order_add_quoted(name, &order);
	str_add(&order, from + strlen(name));
	return error_hint(p->err, "--order \"%s\"", str_text(&order));
}

static int fail_member(struct parse *p, const char *from)
{
	const char *end = from;
	STR(quoted);
	STR(shown);
	STR(spelled);

	while (*end && *end != ',' && !(at_arrow(end) && is_blank(end[-1])))
		end++;
	while (is_blank(end[-1]))
		end--;
	OWNED(name) = base_strndup(from, (size_t)(end - from));

	order_add_quoted(name, &quoted);
	foreign_line(&shown, name);
	foreign_line(&spelled, str_text(&quoted));
	error_set(p->err, ERROR_SCRIPT,
		  "%s: %sthe -> in %s is ambiguous: write %s in single quotes if it is part of "
		  "the location, else put blanks around ->",
		  p->source, order_word(p->source), str_text(&shown), str_text(&spelled));
	return hint_quoted(p, from, name);
}

void place_hint_spelling(const struct place *p, struct error *err)
{
	const char *thread = thread_at(p->location);
	STR(quoted);

	if (p->quoted)
		error_hint(err, "%s%s'%s' in single quotes, if its -> is part of the location",
			   err->hint ? err->hint : "", err->hint ? "; or " : "", p->quoted);
	if (p->quoted || !thread || p->thread)
		return;
	order_add_quoted(p->location, &quoted);
	if (p->from_order)
		error_hint(err, "a thread is named after the quotes: %s", str_text(&quoted));
	else
		error_hint(err, "a thread is an option: at(\"%.*s\", { thread = \"%s\" })",
			   (int)(thread - p->location), p->location, thread + 1);
}

static int parse_text(struct parse *p, struct order_name *out)
{
	const char *from = p->at;

	if (*from != '\'') {
		p->at = plain_end(from, true);
		out->text = trimmed(from, p->at);
		if (!out->text)
			return order_fail(p, "a name is missing");
		return is_member_access(p->text, from, p->at) ? fail_member(p, from) : 0;
	}
	for (p->at++; *p->at && !(*p->at == '\'' && quote_ends(p->at)); p->at++)
		;
	if (!*p->at)
		return order_fail(p, "a quote is not closed where the name ends");
	out->text = trimmed(from + 1, p->at);
	p->at = skip_blanks(p->at + 1);
	return out->text ? 0 : order_fail(p, "a name is missing");
}

static int parse_thread(struct parse *p, struct order_name *out)
{
	const char *from = p->at + 1;

	if (*p->at != '@')
		return 0;
	if (out->thread)
		return order_fail(p, "a name has two threads");
	p->at = plain_end(from, false);
	out->thread = trimmed(from, p->at);
	return out->thread ? 0 : order_fail(p, "the thread after @ is missing");
}

static int parse_name(struct parse *p, struct order_name *out)
{
	p->at = skip_blanks(p->at);
	out->blocked = *p->at == '[';
	if (out->blocked)
		p->at = skip_blanks(p->at + 1);
	if (parse_text(p, out) < 0 || parse_thread(p, out) < 0)
		return -1;
	if (out->blocked && *p->at != ']')
		return order_fail(p, "a ] is missing");
	if (*p->at != ']')
		return 0;
	if (!out->blocked)
		return order_fail(p, "a ] has no [");
	p->at = skip_blanks(p->at + 1);
	return parse_thread(p, out);
}

static void name_fini(struct order_name *n)
{
	base_free(n->text);
	base_free(n->thread);
	base_free(n->quoted);
	*n = (struct order_name){0};
}

static struct order_name name_copy(const struct order_name *n)
{
	return (struct order_name){
		.text = base_strdup(n->text),
		.thread = n->thread ? base_strdup(n->thread) : NULL,
		.quoted = n->quoted ? base_strdup(n->quoted) : NULL,
		.blocked = n->blocked,
	};
}

void order_edge_fini(struct order_edge *edge)
{
	name_fini(&edge->from);
	name_fini(&edge->to);
	base_free(edge->source);
}

static void add_edge(struct engine *e, const struct order_name *from, const struct order_name *to,
		     const char *source)
{
	struct order_edge *edge = array_add(&e->edges);

	edge->from = name_copy(from);
	edge->to = name_copy(to);
	edge->source = base_strdup(source);
}

/*
 * Parses the text after a name: 1 for a further link of the chain, 0 for its end, -1 on an error.
 */
static int parse_link(struct parse *p)
{
	p->at = skip_blanks(p->at);
	if (!at_arrow(p->at))
		return !*p->at || *p->at == ',' ? 0
						: order_fail(p, "a name is followed by something "
								"that is neither -> nor a comma");
	p->at += 2;
	return 1;
}

/* True if an arrow without blanks is left of `at`, and right of a text without quotes. */
static bool is_tight(const char *begin, const char *at)
{
	return at - begin > 3 && *begin != '\'' && !is_blank(*at) && !is_blank(at[-3]) &&
	       memchr(begin, ';', (size_t)(at - begin));
}

static int parse_chain(struct engine *e, struct parse *p)
{
	struct order_name from = {0}, to = {0};
	const char *begin = skip_blanks(p->at), *right;
	int links = 0, more, result = -1;

	if (parse_name(p, &from) < 0)
		goto out;
	while ((more = parse_link(p)) > 0) {
		right = p->at;
		if (parse_name(p, &to) < 0)
			goto out;
		if (is_tight(begin, right))
			to.quoted = trimmed(begin, p->at);
		begin = skip_blanks(right);
		if (to.blocked) {
			order_fail(p, "[] is on the right of an arrow: only a name on the left can "
				      "have it");
			goto out;
		}
		add_edge(e, &from, &to, p->source);
		name_fini(&from);
		from = to;
		to = (struct order_name){0};
		links++;
	}
	if (more == 0)
		result = links ? 0 : order_fail(p, "an arrow -> is missing");
out:
	name_fini(&from);
	name_fini(&to);
	return result;
}

int order_parse(struct engine *e, const char *text, const char *source, struct error *err)
{
	struct parse p = {.text = text, .at = text, .source = source, .err = err};
	size_t before = e->edges.count;

	while (parse_chain(e, &p) == 0) {
		if (!*p.at)
			return 0;
		p.at++; /* a comma */
	}
	while (e->edges.count > before)
		order_edge_fini(&e->edges.items[--e->edges.count]);
	return -1;
}

bool order_name_same(const struct order_name *a, const struct order_name *b)
{
	if (strcmp(a->text, b->text) != 0 || !a->thread != !b->thread)
		return false;
	return !a->thread || strcmp(a->thread, b->thread) == 0;
}

void order_name_print(const struct order_name *n, struct str *out)
{
	str_add(out, n->blocked ? "[" : "");
	str_add(out, n->text);
	if (n->thread)
		str_addf(out, "@%s", n->thread);
	str_add(out, n->blocked ? "]" : "");
}
