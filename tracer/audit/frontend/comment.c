/* What comments say of what they stand before. */
#include "tracer/audit/frontend/reader.h"
#include "tracer/base/text/str.h"

#include <ctype.h>
#include <string.h>

char *comment_of(const struct audit_reader *r, CXCursor c)
{
	struct cursor_text t = cursor_text(r, c), end = cursor_text_end(r, c);
	const char *from = t.at, *to = end.at;
	struct str text = {0};

	if (!t.at || !end.at || end.begin != t.begin)
		return NULL;
	while (from > t.begin && strchr(" \t\n", from[-1]))
		from--;
	if (from - t.begin > 2 && strncmp(from - 2, "*/", 2) == 0)
		while (from > t.begin && strncmp(from, "/*", 2) != 0)
			from--;
	else
		while (from > t.begin && from[-1] != '\n')
			from--;
	if (from < t.at && strncmp(from, "/*", 2) != 0 && strncmp(from, "//", 2) != 0)
		from = t.at;
	while (to < end.end && *to != '\n')
		to++;
	str_add_bytes(&text, from, (size_t)(t.at - from));
	str_add_bytes(&text, end.at, (size_t)(to - end.at));
	if (text.length)
		return str_take(&text);
	str_fini(&text);
	return NULL;
}

/* ---- whose lock ------------------------------------------------------------------------------------------- */

static bool says_any(const char *sentence, const char *const *words)
{
	for (; *words; words++)
		if (strstr(sentence, *words))
			return true;
	return false;
}

/* Of a sentence in small letters: is it the caller who has to have a lock? That of RCU keeps no writers apart. */
static bool asks_for_lock(const char *sentence)
{
	static const char *const locks[] = {"lock", "mutex", NULL},
				 *const has[] = {"held", " hold", "called with", "acquired before",
						 NULL},
				 *const who[] = {"must", "should", "call",   "assum",	"requir",
						 "need", "expect", "has to", "have to", NULL},
				 *const others[] = {" not ",  "n't",	" no ",	 "without",
						    "never",  "unlock", "block", "rcu",
						    "return", "while",	NULL};

	return says_any(sentence, locks) && says_any(sentence, has) && says_any(sentence, who) &&
	       !says_any(sentence, others);
}

/* Behind a full stop, at an empty line, and before a word of Doxygen another sentence begins. */
static bool ends_sentence(const char *at)
{
	const char *next = at + 1 + strspn(at + 1, " \t*");

	if (*at == '.' || *at == ';')
		return isspace((unsigned char)at[1]);
	return *at == '\n' && (*next == '@' || *next == '\\' || *next == '\n');
}

bool comment_wants_lock(const char *comment)
{
	struct str sentence = {0};
	bool wants = false;

	for (const char *p = comment; p && *p && !wants; p++) {
		const char c = isspace((unsigned char)*p) || *p == '*' ? ' ' : *p;

		str_addf(&sentence, "%c", tolower((unsigned char)c));
		if (!ends_sentence(p) && p[1])
			continue;
		wants = asks_for_lock(str_text(&sentence));
		str_clear(&sentence);
	}
	str_fini(&sentence);
	return wants;
}
