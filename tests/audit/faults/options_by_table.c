/* A program whose options are set through a table of addresses: the code behind the test of one of them runs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct option {
	const char *name;
	const char **value;
};

struct tally {
	pthread_mutex_t lock;
	int seen;
};

static struct tally tally = {PTHREAD_MUTEX_INITIALIZER, 0};

void options_read(struct option *options, int count);

static void *count(void *unused)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&tally.lock);
		tally.seen++;
		pthread_mutex_unlock(&tally.lock);
	}
	pthread_mutex_lock(&tally.lock);
	tally.seen--;
	pthread_mutex_unlock(&tally.lock);
	return unused;
}

static int run(void)
{
	const char *file = NULL;
	struct option options[] = {{"file", &file}};
	pthread_t thread;

	options_read(options, 1);
	if (!file)
		exit(1);
	pthread_create(&thread, NULL, count, NULL);
	tally.seen = 0; /* finding: P3 seen */
	pthread_join(thread, NULL);
	return 0;
}

int tally_run(void)
{
	return run();
}
