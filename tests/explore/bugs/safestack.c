/* SafeStack of three slots (Vyukov; in SCTBench and in the tables of Thomson and others, 2014, who found it with no
 * tool): a thread that is late in pop() writes a stale `next` back, or takes a head that has come back, and two threads
 * own one slot. Three threads and five preemptions are needed. */
#include <stdatomic.h>
#include "bug.h"

enum { SLOTS = 3, ROUNDS = 3, NONE = -1 };

static struct {
	_Atomic int next;
	int value;
} slots[SLOTS];
static _Atomic int head, count = SLOTS;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the twin */

static int try_pop(void)
{
	int first = head;
	int next = atomic_exchange(&slots[first].next, NONE);

	if (next < 0)
		return NONE;
	if (atomic_compare_exchange_strong(&head, &first, next)) {
		count--;
		return first;
	}
	slots[first].next = next;
	return NONE;
}

static int pop(void)
{
	while (count > 1) {
		int slot;

		if (FIXED)
			pthread_mutex_lock(&lock);
		slot = try_pop();
		if (FIXED)
			pthread_mutex_unlock(&lock);
		if (slot >= 0)
			return slot;
	}
	return NONE;
}

static void push(int slot)
{
	int first;

	if (FIXED)
		pthread_mutex_lock(&lock);
	first = head;
	do
		slots[slot].next = first;
	while (!atomic_compare_exchange_strong(&head, &first, slot));
	count++;
	if (FIXED)
		pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	int own = (int)(long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		int slot = pop();

		if (slot < 0)
			continue;
		slots[slot].value = own;
		check(slots[slot].value == own, "a slot has two owners");
		push(slot);
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < SLOTS; i++)
		slots[i].next = i + 1 < SLOTS ? i + 1 : NONE;
	for (long i = 0; i < 3; i++)
		start(work, (void *)i);
	join_all();
	return 0;
}
