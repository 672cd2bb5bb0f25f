/* An arena: when there is no room left it returns early, and keeps the lock. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct arena {
	pthread_mutex_t lock;
	size_t used;
	char memory[1024];
};

struct arena *arena_new(void)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	if (!arena)
		return NULL;
	pthread_mutex_init(&arena->lock, NULL);
	return arena;
}

int arena_reserve(struct arena *arena, size_t size, size_t *offset)
{
	pthread_mutex_lock(&arena->lock);
	if (size > sizeof(arena->memory) - arena->used)
		return -1; /* finding: return-with-lock lock */
	*offset = arena->used;
	arena->used += size;
	pthread_mutex_unlock(&arena->lock);
	return 0;
}

void arena_reset(struct arena *arena)
{
	pthread_mutex_lock(&arena->lock);
	arena->used = 0;
	pthread_mutex_unlock(&arena->lock);
}

#ifdef DRIVER
static void *reserve(void *arena)
{
	size_t offset;
	arena_reserve(arena, 600, &offset);
	return NULL;
}

static void *reset(void *arena)
{
	arena_reset(arena);
	return NULL;
}

int main(void)
{
	struct arena *arena = arena_new();
	pthread_t cleaner, one, two;
	pthread_create(&cleaner, NULL, reset, arena);
	pthread_create(&one, NULL, reserve, arena);
	pthread_create(&two, NULL, reserve, arena);
	pthread_join(cleaner, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
#endif
