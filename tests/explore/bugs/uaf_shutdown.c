/* Use after free at shutdown: main frees what a thread still uses, because that thread was told to stop.
 * The thread looks at `stopping`, main stops it and frees the log, the thread writes to the log. */
#include <stdlib.h>
#include "bug.h"

static struct log {
	volatile int lines;
} *volatile log_file;
static _Atomic int stopping;

static void *serve(void *arg)
{
	for (int i = 0; i < 2; i++) {
		if (stopping)
			break;
		log_file->lines = i;
	}
	return arg;
}

int main(void)
{
	log_file = calloc(1, sizeof(*log_file));
	start(serve, NULL);
	stopping = 1;
	if (FIXED)
		join_all();
	free(log_file);
	log_file = NULL;
	join_all();
	return 0;
}
