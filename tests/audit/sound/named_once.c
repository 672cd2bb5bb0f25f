/* A letter's name is made when it is first asked for, under the lock, and stays: who has seen it needs no lock then. */
#include <pthread.h>
#include <stddef.h>

struct letter {
	pthread_mutex_t lock;
	const char *name;
	int number;
};

static const char *name_of(int number)
{
	return number ? "a letter" : "the letter";
}

char letter_initial(struct letter *letter)
{
	pthread_mutex_lock(&letter->lock);
	if (letter->name == NULL)
		letter->name = name_of(letter->number);
	pthread_mutex_unlock(&letter->lock);
	return letter->name[0];
}

char letter_last(struct letter *letter)
{
	char last = 0;

	pthread_mutex_lock(&letter->lock);
	for (const char *at = letter->name; at && *at; at++)
		last = *at;
	pthread_mutex_unlock(&letter->lock);
	return last;
}
