/* A function keeps the lock, taken by a wrapper, where it returns 0: its callers release it. */
#include <pthread.h>

typedef struct {
	pthread_mutex_t mutex;
} gate_t;

static gate_t gate = {PTHREAD_MUTEX_INITIALIZER};
static int places = 10, guests;

static void gate_close(gate_t *which)
{
	pthread_mutex_lock(&which->mutex);
}

static void gate_open(gate_t *which)
{
	pthread_mutex_unlock(&which->mutex);
}

static int reserve(int number)
{
	int error = 0;

	gate_close(&gate);
	if (number > places)
		error = 28;
	if (error)
		gate_open(&gate);
	return error;
}

int hall_enter(int number)
{
	int error = reserve(number);

	if (error)
		return error;
	places -= number;
	guests += number;
	gate_open(&gate);
	return 0;
}

int hall_guests(void)
{
	int now;

	gate_close(&gate);
	now = guests;
	gate_open(&gate);
	return now;
}
