/* A reader has the lock, a writer waits for it, and only then does another reader come. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_rwlock_t lock;
static char who[4];

static void *writer(void *arg)
{
	usleep(100000);
	pthread_rwlock_wrlock(&lock);
	strcat(who, "w");
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *second_reader(void *arg)
{
	usleep(200000);
	pthread_rwlock_rdlock(&lock);
	strcat(who, "r");
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_rwlockattr_t attr;
	pthread_t a, b;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &attr);
	pthread_rwlock_rdlock(&lock);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, second_reader, NULL);
	usleep(400000);
	pthread_rwlock_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts(who);
	return strcmp(who, "wr") != 0;
}
