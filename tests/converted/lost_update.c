/* Shows a lost update: the sleep keeps the window open between reading and writing. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile int balance = 100;

static void *withdraw(void *arg)
{
	const struct timespec a_while = {0, 200000000};
	int seen = balance;

	nanosleep(&a_while, NULL);
	balance = seen - 30;
	return arg;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, withdraw, NULL);
	pthread_create(&second, NULL, withdraw, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d\n", balance);
	return balance == 70 ? 0 : 1;
}
