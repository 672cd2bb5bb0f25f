// rpmalloc pull request 396: the first allocations of two threads at once. Needs rpmalloc.c: the parent of 20f0ef2
// has the bug, 20f0ef2 the repair.
#include <pthread.h>
#include <rpmalloc.h>
#include <string.h>

static void *use(void *unused)
{
	char *block = rpmalloc(100);

	(void)unused;
	if (!block)
		return "none";
	memset(block, 1, 100);
	rpfree(block);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	void *result;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		if (result)
			return 1;
	}
	return 0;
}
