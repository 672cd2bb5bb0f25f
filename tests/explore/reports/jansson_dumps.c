// jansson issue 42: two threads encode one array. Needs jansson: 2.10 has the bug, 2.11 the repair.
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *array;

static void *encode(void *result)
{
	*(char **)result = json_dumps(array, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char *texts[2];

	array = json_pack("[i]", 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, encode, &texts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!texts[0] || !texts[1]) {
		fputs("an array could not be encoded\n", stderr);
		return 1;
	}
	free(texts[0]);
	free(texts[1]);
	json_decref(array);
	return 0;
}
