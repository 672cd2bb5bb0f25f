/* A ticket is given to the caller by an address, with its lock held if there is one. */
#include <pthread.h>
#include <stddef.h>

struct ticket {
	pthread_mutex_t lock;
	struct ticket *next;
	int number, price;
};

struct office {
	pthread_mutex_t lock;
	struct ticket *first;
};

static void office_find(struct office *office, int number, struct ticket **found)
{
	struct ticket *ticket;

	*found = NULL;
	pthread_mutex_lock(&office->lock);
	for (ticket = office->first; ticket && ticket->number != number;)
		ticket = ticket->next;
	if (ticket) {
		pthread_mutex_lock(&ticket->lock);
		*found = ticket;
	}
	pthread_mutex_unlock(&office->lock);
}

int ticket_price(struct office *office, int number)
{
	struct ticket *ticket = NULL;
	int price = 0;

	office_find(office, number, &ticket);
	if (ticket) {
		price = ticket->price;
		pthread_mutex_unlock(&ticket->lock);
	}
	return price;
}

void ticket_set_price(struct office *office, int number, int price)
{
	struct ticket *ticket = NULL;

	office_find(office, number, &ticket);
	if (!ticket)
		return;
	ticket->price = price;
	pthread_mutex_unlock(&ticket->lock);
}
