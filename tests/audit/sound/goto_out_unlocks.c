/* A parser's state: each error goes to the label in front of the unlock; what fails before the lock, behind it. */
#include <pthread.h>
#include <stdlib.h>

struct parser {
	pthread_mutex_t lock;
	int depth;
	int errors;
};

struct parser *parser_new(void)
{
	struct parser *parser = calloc(1, sizeof(*parser));
	if (!parser)
		return NULL;
	pthread_mutex_init(&parser->lock, NULL);
	return parser;
}

int parser_feed(struct parser *parser, const char *text)
{
	int result = -1;
	if (!text)
		goto done;
	pthread_mutex_lock(&parser->lock);
	for (; *text; text++) {
		if (*text == '(') {
			parser->depth++;
		} else if (*text == ')') {
			if (parser->depth == 0) {
				parser->errors++;
				goto out;
			}
			parser->depth--;
		}
	}
	result = parser->depth;
out:
	pthread_mutex_unlock(&parser->lock);
done:
	return result;
}

int parser_errors(struct parser *parser)
{
	pthread_mutex_lock(&parser->lock);
	int errors = parser->errors;
	pthread_mutex_unlock(&parser->lock);
	return errors;
}
