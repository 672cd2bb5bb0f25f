/* Completion: commands first, then what the command's argument is. */
#include "tracer/cli/repl/repl.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>

static struct repl *owner; /* libedit passes no context on */

struct names {
	const char *begin;
	ARRAY(char *) items;
};
static struct names found;

static void repl_complete_offer(void *ctx, const char *name)
{
	(void)ctx;
	if (strncmp(name, found.begin, strlen(found.begin)) != 0)
		return;
	array_each(char *, old, &found.items)
		if (strcmp(*old, name) == 0)
			return;
	*array_add(&found.items) = strdup(name);
}

static void offer_names(enum interactive_names what)
{
	STR(name);

	for (size_t i = 0; interactive_name(owner->interactive, what, i, &name); i++) {
		repl_complete_offer(NULL, str_text(&name));
		str_clear(&name);
	}
}

/* Which argument of the command stands at `start`? */
static enum repl_word repl_complete_word_at(const char *line, int start)
{
	size_t length = strcspn(line, " \t");
	const struct repl_command *c = repl_find(line, length);
	unsigned n = 0;

	if (!c || start <= (int)length)
		return start <= (int)length ? WORD_COMMAND : WORD_NONE;
	for (int i = (int)length; i < start; i++)
		n += (line[i] == ' ' || line[i] == '\t') && line[i + 1] != ' ' &&
		     line[i + 1] != '\t';
	return n >= 1 && n <= 3 ? c->words[n - 1] : WORD_NONE;
}

static char *repl_complete_next(const char *text, int state)
{
	static size_t at;

	(void)text;
	if (!state)
		at = 0;
	return at < found.items.count ? strdup(found.items.items[at++]) : NULL;
}

static void repl_complete_collect(enum repl_word word)
{
	switch (word) {
	case WORD_COMMAND:
		for (const struct repl_command *c = repl_commands; c->name; c++)
			repl_complete_offer(NULL, c->name);
		break;
	case WORD_LOCATION:
		interactive_locations(owner->interactive, found.begin, repl_complete_offer, NULL);
		break;
	case WORD_THREAD:
		offer_names(INTERACTIVE_THREADS);
		break;
	case WORD_GATE:
		offer_names(INTERACTIVE_GATES);
		break;
	case WORD_VERB:
		repl_complete_offer(NULL, "wait");
		repl_complete_offer(NULL, "open");
		break;
	case WORD_PATH:
	case WORD_NONE:
		break;
	}
}

static char **complete(const char *text, int start, int end)
{
	enum repl_word word = repl_complete_word_at(rl_line_buffer, start);
	char **matches;

	(void)end;
	if (word == WORD_PATH)
		return NULL; /* libedit completes file names itself */
	rl_attempted_completion_over = 1;
	found.begin = text;
	repl_complete_collect(word);
	matches = rl_completion_matches(text, repl_complete_next);
	array_each(char *, name, &found.items)
		free(*name);
	array_fini(&found.items);
	return matches;
}

void repl_completion(struct repl *r)
{
	owner = r;
	rl_attempted_completion_function = complete;
	rl_basic_word_break_characters = " \t";
}
