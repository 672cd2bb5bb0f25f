/*
 * Two tellers move money between two accounts. A transfer locks the account that pays and then the
 * account that is paid. Two transfers in opposite directions lock in opposite orders: when each
 * teller has its first lock, neither ever gets its second one.
 *
 * The second customer comes some milliseconds after the first, so that it has never been seen.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct account {
	pthread_mutex_t lock;
	const char *owner;
	long cents;
};

struct order {
	struct account *from, *to;
	long cents;
	long arrives_ms;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, "Alice", 10000};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, "Bob", 5000};

static int transfer(struct account *from, struct account *to, long cents)
{
	int moved = 0;

	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	if (from->cents >= cents) {
		from->cents -= cents;
		to->cents += cents;
		moved = 1;
	}
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
	return moved;
}

static void *teller(void *arg)
{
	const struct order *o = arg;
	struct timespec t = {.tv_nsec = o->arrives_ms * 1000000L};

	nanosleep(&t, NULL);
	if (!transfer(o->from, o->to, o->cents))
		printf("%s has not enough money\n", o->from->owner);
	return NULL;
}

static void print_account(const struct account *a)
{
	printf("%s has %ld.%02ld\n", a->owner, a->cents / 100, a->cents % 100);
}

int main(void)
{
	static struct order orders[] = {{&alice, &bob, 2500, 1}, {&bob, &alice, 1000, 15}};
	pthread_t tellers[2];

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&tellers[i], NULL, teller, &orders[i]) != 0) {
			fprintf(stderr, "bank: cannot start a thread\n");
			return 2;
		}
	}
	for (int i = 0; i < 2; i++)
		pthread_join(tellers[i], NULL);
	print_account(&alice);
	print_account(&bob);
	return alice.cents + bob.cents == 15000 ? 0 : 1;
}
