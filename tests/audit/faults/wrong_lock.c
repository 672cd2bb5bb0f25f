/* A mailbox with a lock for each end: the number of waiting letters belongs to in_lock, but receiving holds out_lock. */
#include <pthread.h>
#include <stdlib.h>

struct mailbox {
	pthread_mutex_t in_lock;
	pthread_mutex_t out_lock;
	int waiting;
	int received;
};

struct mailbox *mailbox_new(void)
{
	struct mailbox *box = calloc(1, sizeof(*box));
	if (!box)
		return NULL;
	pthread_mutex_init(&box->in_lock, NULL);
	pthread_mutex_init(&box->out_lock, NULL);
	return box;
}

void mailbox_send(struct mailbox *box, int letters)
{
	pthread_mutex_lock(&box->in_lock);
	box->waiting += letters;
	pthread_mutex_unlock(&box->in_lock);
}

int mailbox_waiting(struct mailbox *box)
{
	pthread_mutex_lock(&box->in_lock);
	int waiting = box->waiting;
	pthread_mutex_unlock(&box->in_lock);
	return waiting;
}

void mailbox_receive(struct mailbox *box)
{
	pthread_mutex_lock(&box->out_lock);
	box->received++;
	box->waiting--; /* finding: P3 waiting */
	pthread_mutex_unlock(&box->out_lock);
}

int mailbox_received(struct mailbox *box)
{
	pthread_mutex_lock(&box->out_lock);
	int received = box->received;
	pthread_mutex_unlock(&box->out_lock);
	return received;
}

#ifdef DRIVER
static void *sender(void *box)
{
	mailbox_send(box, 1);
	mailbox_send(box, 1);
	return NULL;
}

static void *receiver(void *box)
{
	mailbox_receive(box);
	mailbox_receive(box);
	return NULL;
}

int main(void)
{
	struct mailbox *box = mailbox_new();
	pthread_t one, two;
	mailbox_send(box, 2);
	pthread_create(&one, NULL, sender, box);
	pthread_create(&two, NULL, receiver, box);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return mailbox_waiting(box) + mailbox_received(box) != 4;
}
#endif
