/* Decides from the source statement whether an access is atomic: on x86-64 atomic loads and
   stores are plain instructions, and the statement may access other variables too. */
#include "tracer/sched/sched_internal.h"
#include "tracer/base/text/token.h"

#include <fnmatch.h>
#include <string.h>

enum likeness { OTHER, SAME, UNKNOWN };

/* ---- text of the statement --------------------------------------------------------------- */

/* Operations that plain instructions implement. An update may be a loop that begins with a load,
   or a load alone if it changes nothing (fetch_add of 0). */
static const char *const reading[] = {"*atomic_load*", "*atomic_fetch_*", "*__atomic_*_fetch",
				      "*__sync_fetch_and_*", "*__sync_*_and_fetch"};
static const char *const writing[] = {"*atomic_store*", "*atomic_flag_clear*", "*__atomic_clear",
				      "*__sync_lock_release*"};

static bool is_operation(struct snippet word, bool writes)
{
	const char *const *names = writes ? writing : reading;
	size_t count =
		writes ? sizeof(writing) / sizeof(*writing) : sizeof(reading) / sizeof(*reading);
	char *text = base_strndup(word.at, word.length);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++)
		found = fnmatch(names[i], text, 0) == 0;
	base_free(text);
	return found;
}

/* Finds the next name that a parenthesis follows. Returns false if there is none. */
static bool next_call(const char **line, struct snippet *name)
{
	*name = (struct snippet){*line, 0};
	each_token(t, *line) {
		if (name->length && token_is_op(&t, '(')) {
			*line = t.start + 1;
			return true;
		}
		*name = (struct snippet){t.start, t.kind == TOKEN_NAME ? t.length : 0};
	}
	return false;
}

/* Returns the last word outside of brackets: "lock" of "&shared->from[i].lock". */
static struct snippet last_word(struct snippet in)
{
	struct snippet word = {in.at, 0};
	int depth = 0;

	each_token(t, in.at) {
		if (t.start >= in.at + in.length)
			break;
		depth += token_is_op(&t, '[') - token_is_op(&t, ']');
		if (!depth && (t.kind == TOKEN_NAME || t.kind == TOKEN_NUMBER))
			word = (struct snippet){t.start, t.length};
	}
	return word;
}

static bool race_atomic_same(struct snippet a, struct snippet b)
{
	return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

static bool is_written(struct snippet in, struct snippet word)
{
	each_token(t, in.at)
		if (t.start < in.at + in.length &&
		    race_atomic_same((struct snippet){t.start, t.length}, word))
			return true;
	return false;
}

/* ---- variable of the statement ----------------------------------------------------------- */

static enum likeness evaluate(const struct race_statement *s, struct snippet arg)
{
	struct inspect_value v;
	uint64_t address;
	ERROR(ignored);
	char *text = base_strndup(arg.at, arg.length);
	bool known = s->call && inspect_eval(s->call, text, &v, &ignored) == 0 &&
		     inspect_address(&v, &address, &ignored) == 0;

	base_free(text);
	if (!known)
		return UNKNOWN;
	return address == s->address ? SAME : OTHER;
}

/* Compares by name if no thread is at the statement. UNKNOWN if the statement does not contain
   the variable's name. */
static enum likeness race_atomic_compare(const struct race_statement *s, struct snippet arg)
{
	const struct snippet variable = {s->variable, strlen(s->variable)};
	const struct snippet line = {s->line, strlen(s->line)};
	struct snippet name = last_word(variable);
	bool pointed = *variable.at == '*' || variable.at[variable.length - 1] == ']';

	if (!name.length || !arg.length)
		return UNKNOWN;
	if (pointed ? is_written(arg, name)
		    : race_atomic_same(last_word(arg), name) && memchr(arg.at, '&', arg.length))
		return SAME;
	return is_written(line, name) ? OTHER : UNKNOWN;
}

static bool is_about(const struct race_statement *s, struct snippet arg)
{
	enum likeness likeness = evaluate(s, arg);

	if (likeness == UNKNOWN && s->variable && *s->variable)
		likeness = race_atomic_compare(s, arg);
	return likeness != OTHER;
}

static bool is_atomic(const struct race_statement *s, unsigned depth);

/* True if all definitions of the macro are atomic, since the compiler's choice is unknown. */
static bool is_macro_atomic(const struct race_statement *s, struct snippet name, const char *args,
			    unsigned depth)
{
	struct race_statement inner = *s;
	struct race_texts texts = {0};
	bool answer;

	if (depth && s->file)
		race_expand(s->symbols, s->file, name, args, &texts);
	answer = texts.count > 0;
	for (size_t i = 0; i < texts.count && answer; i++) {
		inner.line = texts.items[i];
		answer = is_atomic(&inner, depth - 1);
	}
	race_texts_fini(&texts);
	return answer;
}

static bool is_atomic(const struct race_statement *s, unsigned depth)
{
	const char *at = s->line;
	bool found = false;
	struct snippet name;

	while (!found && next_call(&at, &name))
		found = is_operation(name, s->writes) ? is_about(s, race_argument(at))
						      : is_macro_atomic(s, name, at, depth);
	return found;
}

bool race_is_written_atomic(const struct race_statement *s)
{
	enum { DEEP = 4 }; /* nesting of macros */

	return s->line && is_atomic(s, DEEP);
}
