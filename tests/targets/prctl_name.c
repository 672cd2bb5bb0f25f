/* Thread names change under way, as the kernel and pthread see them. */
// arrivals: 4
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

static void *body(void *arg)
{
	char name[16];
	pthread_setname_np(pthread_self(), arg);
	pthread_getname_np(pthread_self(), name, sizeof name); /* gate: here */
	printf("%s\n", name);
	return NULL;
}

int main(void)
{
	const char *names[] = {"alpha", "b) R 1 (", "fifteen letters", ""};
	for (int i = 0; i < 4; i++) {
		pthread_t t;
		pthread_create(&t, NULL, body, (void *)names[i]);
		pthread_join(t, NULL);
	}
	char name[16];
	prctl(PR_SET_NAME, "main name");
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
	return 0;
}
