/* The lock is of a type of the module, and taken by a wrapper: one way out keeps it. */
#include <pthread.h>
#include <stddef.h>

typedef struct {
	pthread_mutex_t mutex;
} gate_t;

struct coat {
	struct coat *next;
	int number;
};

static gate_t gate = {PTHREAD_MUTEX_INITIALIZER};
static struct coat *coats;

static void gate_close(gate_t *which)
{
	pthread_mutex_lock(&which->mutex);
}

static void gate_open(gate_t *which)
{
	pthread_mutex_unlock(&which->mutex);
}

void coats_hang(struct coat *coat)
{
	gate_close(&gate);
	coat->next = coats;
	coats = coat;
	gate_open(&gate);
}

struct coat *coats_fetch(int number)
{
	gate_close(&gate);
	if (!coats)
		return NULL; /* finding: return-with-lock gate */
	for (struct coat **at = &coats; *at; at = &(*at)->next) {
		struct coat *coat = *at;

		if (coat->number == number) {
			*at = coat->next;
			gate_open(&gate);
			return coat;
		}
	}
	gate_open(&gate);
	return NULL;
}
