/* ReactOS, pull request 9369, "Fix push lock release retry livelock": https://github.com/reactos/reactos/pull/9369
 *
 * Hangs: the thread that releases the lock tries the same compare-and-exchange for ever, and all waiters wait.
 * When: another waiter has put itself on the list between the read of the lock's word and the exchange: the value that
 * a failed exchange returns is not taken for the next attempt.
 * Written from the description, exclusive acquisitions only, with the three threads of its model. */
#include <pthread.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LOCKED = 1, WAITING = 2, BITS = 15 };

/* A waiter, on its own stack. The lock's word is the address of the last one, and the bits. */
struct block {
	alignas(16) struct block *next;
	sem_t wake;
};

static _Atomic uintptr_t lock;
static int counter;

static struct block *first(uintptr_t word)
{
	return (struct block *)(word & ~(uintptr_t)BITS);
}

static void acquire(void)
{
	for (;;) {
		uintptr_t seen = atomic_load(&lock);
		struct block b;

		if (!(seen & LOCKED)) {
			if (atomic_compare_exchange_strong(&lock, &seen, seen | LOCKED))
				return;
			continue;
		}
		b.next = first(seen);
		sem_init(&b.wake, 0, 0);
		if (atomic_compare_exchange_strong(&lock, &seen, (uintptr_t)&b | LOCKED | WAITING))
			sem_wait(&b.wake);
		sem_destroy(&b.wake);
	}
}

/* The lock has waiters: it is given back, and all of them are woken. */
static void release_contended(void)
{
	uintptr_t old = atomic_load(&lock);

	for (;;) {
		uintptr_t seen = old;
		if (atomic_compare_exchange_strong(&lock, &seen, 0))
			break;
	}
	for (struct block *b = first(old), *next; b; b = next) {
		next = b->next;
		sem_post(&b->wake);
	}
}

static void release(void)
{
	uintptr_t alone = LOCKED;

	if (!atomic_compare_exchange_strong(&lock, &alone, 0))
		release_contended();
}

static void *worker(void *arg)
{
	acquire();
	counter++;
	release();
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return counter != 3;
}
