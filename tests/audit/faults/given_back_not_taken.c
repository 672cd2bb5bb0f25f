/* A meter with a scale whose references are counted: one function gives back what it has not taken, and the last one goes too early. */
#include <pthread.h>
#include <stdlib.h>

struct scale {
	int references;
	int marks;
};

struct meter {
	pthread_mutex_t lock;
	struct scale *scale;
};

static void scale_put(struct meter *meter, struct scale *scale)
{
	pthread_mutex_lock(&meter->lock);
	int is_last = --scale->references == 0;
	pthread_mutex_unlock(&meter->lock);
	if (is_last)
		free(scale);
}

int meter_marks(struct meter *meter)
{
	pthread_mutex_lock(&meter->lock);
	struct scale *scale = meter->scale;
	pthread_mutex_unlock(&meter->lock);
	if (!scale)
		return 0;
	int marks = scale->marks;
	scale_put(meter, scale); /* finding: P2 scale */
	return marks;
}

int meter_change(struct meter *meter, int marks)
{
	struct scale *scale = malloc(sizeof(*scale));
	if (!scale)
		return -1;
	scale->references = 1;
	scale->marks = marks;
	pthread_mutex_lock(&meter->lock);
	struct scale *old = meter->scale;
	meter->scale = scale;
	pthread_mutex_unlock(&meter->lock);
	if (old)
		scale_put(meter, old);
	return 0;
}
