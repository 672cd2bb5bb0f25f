/* A ticket that is claimed by looking and then setting: two threads that look at once both have it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef DRIVER
#include <pthread.h>
#endif

struct ticket {
	atomic_int claimed;
	int seat;
};

struct ticket *ticket_new(int seat)
{
	struct ticket *ticket = calloc(1, sizeof(*ticket));
	if (!ticket)
		return NULL;
	ticket->seat = seat;
	return ticket;
}

bool ticket_claim(struct ticket *ticket)
{
	if (atomic_load(&ticket->claimed) == 0) {
		atomic_store(&ticket->claimed, 1); /* finding: compound claimed */
		return true;
	}
	return false;
}

int ticket_seat(const struct ticket *ticket)
{
	return ticket->seat;
}

#ifdef DRIVER
static void *claim(void *ticket)
{
	return ticket_claim(ticket) ? ticket : NULL;
}

int main(void)
{
	struct ticket *ticket = ticket_new(12);
	pthread_t one, two;
	void *first, *second;
	pthread_create(&one, NULL, claim, ticket);
	pthread_create(&two, NULL, claim, ticket);
	pthread_join(one, &first);
	pthread_join(two, &second);
	return (first && second) || ticket_seat(ticket) != 12;
}
#endif
