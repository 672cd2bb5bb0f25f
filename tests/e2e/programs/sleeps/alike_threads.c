#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t places;

static void *guest(void *arg)
{
	sem_wait(&places);
	usleep(100000); /* so long that the others have to wait at the semaphore */
	sem_post(&places);
	return arg;
}

int main(void)
{
	pthread_t t[10];
	int i;

	sem_init(&places, 0, 5);
	for (i = 0; i < 10; i++)
		pthread_create(&t[i], NULL, guest, NULL);
	for (i = 0; i < 10; i++)
		pthread_join(t[i], NULL);
	puts("all served");
	return 0;
}
