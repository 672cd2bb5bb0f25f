/* Five threads shall wait before the test goes on: five orders of one meaning. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t free_seats;
static int waiting;

static void *guest(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
	sem_wait(&free_seats);
	return NULL;
}

int main(void)
{
	pthread_t guests[5];

	sem_init(&free_seats, 0, 0);
	for (int i = 0; i < 5; i++)
		pthread_create(&guests[i], NULL, guest, NULL);
	usleep(60000); /* all of them shall wait */
	if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) != 5)
		return 1;
	for (int i = 0; i < 5; i++)
		sem_post(&free_seats);
	for (int i = 0; i < 5; i++)
		pthread_join(guests[i], NULL);
	return 0;
}
