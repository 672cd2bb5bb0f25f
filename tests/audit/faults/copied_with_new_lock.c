/* A copy has a lock of its own, which it is made with; what it is copied from has others that change it. */
#include <pthread.h>
#include <stdlib.h>

struct form {
	pthread_mutex_t lock;
	int lines, words;
};

struct form *form_copy(const struct form *form)
{
	struct form *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	pthread_mutex_init(&copy->lock, NULL);
	copy->lines = form->lines; /* finding: P3 lines */
	copy->words = form->words; /* finding: P3 words */
	return copy;
}

void form_add(struct form *form, int words)
{
	pthread_mutex_lock(&form->lock);
	form->lines++;
	form->words += words;
	pthread_mutex_unlock(&form->lock);
}

int form_words(struct form *form)
{
	pthread_mutex_lock(&form->lock);
	int words = form->lines ? form->words : 0;
	pthread_mutex_unlock(&form->lock);
	return words;
}
