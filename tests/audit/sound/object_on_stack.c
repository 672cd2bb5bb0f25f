/* Words are counted in an object on the stack, by a helper that does not lock; only the sum is shared, and locked. */
#include <pthread.h>

struct words {
	pthread_mutex_t lock;
	long words;
	long letters;
};

static struct words all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void scan(struct words *words, const char *text)
{
	for (; *text; text++) {
		if (*text == ' ')
			words->words++;
		else
			words->letters++;
	}
}

void words_add(const char *text)
{
	struct words own = {.words = 1};
	scan(&own, text);
	pthread_mutex_lock(&all.lock);
	all.words += own.words;
	all.letters += own.letters;
	pthread_mutex_unlock(&all.lock);
}

long words_mean_length(void)
{
	pthread_mutex_lock(&all.lock);
	long mean = all.words ? all.letters / all.words : 0;
	pthread_mutex_unlock(&all.lock);
	return mean;
}
