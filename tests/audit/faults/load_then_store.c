/* A sequence of numbers: each step is atomic, but the number is read in one and written back, plus one, in another. */
#include <stdatomic.h>
#include <stdlib.h>
#ifdef DRIVER
#include <pthread.h>
#endif

struct sequence {
	_Atomic long next;
};

struct sequence *sequence_new(long first)
{
	struct sequence *sequence = malloc(sizeof(*sequence));
	if (!sequence)
		return NULL;
	atomic_init(&sequence->next, first);
	return sequence;
}

long sequence_next(struct sequence *sequence)
{
	long number = atomic_load(&sequence->next);
	atomic_store(&sequence->next, number + 1); /* finding: compound next */
	return number;
}

long sequence_peek(struct sequence *sequence)
{
	return atomic_load(&sequence->next);
}

#ifdef DRIVER
static void *draw(void *sequence)
{
	sequence_next(sequence);
	sequence_next(sequence);
	return NULL;
}

int main(void)
{
	struct sequence *sequence = sequence_new(1);
	pthread_t one, two;
	pthread_create(&one, NULL, draw, sequence);
	pthread_create(&two, NULL, draw, sequence);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return sequence_peek(sequence) != 5;
}
#endif
