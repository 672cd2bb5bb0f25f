/* Barrels: the two branches take the locks in opposite orders of the parameters, but each in the order of addresses. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct barrel {
	pthread_mutex_t lock;
	int litres;
};

struct barrel *barrel_new(int litres)
{
	struct barrel *barrel = malloc(sizeof(*barrel));
	if (!barrel)
		return NULL;
	pthread_mutex_init(&barrel->lock, NULL);
	barrel->litres = litres;
	return barrel;
}

static void lock_both(struct barrel *one, struct barrel *two)
{
	if ((uintptr_t)one < (uintptr_t)two) {
		pthread_mutex_lock(&one->lock);
		pthread_mutex_lock(&two->lock);
	} else {
		pthread_mutex_lock(&two->lock);
		pthread_mutex_lock(&one->lock);
	}
}

void barrel_pour(struct barrel *from, struct barrel *to)
{
	if (from == to)
		return;
	lock_both(from, to);
	to->litres += from->litres;
	from->litres = 0;
	pthread_mutex_unlock(&from->lock);
	pthread_mutex_unlock(&to->lock);
}

int barrel_litres(struct barrel *barrel)
{
	pthread_mutex_lock(&barrel->lock);
	int litres = barrel->litres;
	pthread_mutex_unlock(&barrel->lock);
	return litres;
}
