/* A meter with a scale, whose references are counted under the meter's lock: by a helper that takes one, and in place. */
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

static struct scale *scale_get(struct meter *meter)
{
	pthread_mutex_lock(&meter->lock);
	struct scale *scale = meter->scale;
	if (scale)
		scale->references++;
	pthread_mutex_unlock(&meter->lock);
	return scale;
}

static void scale_put(struct meter *meter, struct scale *scale)
{
	pthread_mutex_lock(&meter->lock);
	int is_last = scale && --scale->references == 0;
	pthread_mutex_unlock(&meter->lock);
	if (is_last)
		free(scale);
}

int meter_marks(struct meter *meter)
{
	struct scale *scale = scale_get(meter);
	int marks = scale ? scale->marks : 0;
	scale_put(meter, scale);
	return marks;
}

int meter_twice(struct meter *meter)
{
	pthread_mutex_lock(&meter->lock);
	struct scale *scale = meter->scale;
	scale->references += 1;
	pthread_mutex_unlock(&meter->lock);
	int marks = 2 * scale->marks;
	pthread_mutex_lock(&meter->lock);
	scale->references -= 1;
	int is_last = scale->references == 0;
	pthread_mutex_unlock(&meter->lock);
	if (is_last)
		free(scale);
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
	scale_put(meter, old);
	return 0;
}
