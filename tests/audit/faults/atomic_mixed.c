/* References by the __atomic builtins everywhere but where one is dropped: that is an ordinary subtraction. */
#include <stdlib.h>
#ifdef DRIVER
#include <pthread.h>
#endif

/* @thread_safe */
struct blob {
	int references;
	int size;
};

struct blob *blob_new(int size)
{
	struct blob *blob = malloc(sizeof(*blob));
	if (!blob)
		return NULL;
	blob->references = 1;
	blob->size = size;
	return blob;
}

void blob_hold(struct blob *blob)
{
	__atomic_fetch_add(&blob->references, 1, __ATOMIC_RELAXED);
}

void blob_drop(struct blob *blob)
{
	blob->references--; /* finding: P3 references */
}

int blob_references(struct blob *blob)
{
	return __atomic_load_n(&blob->references, __ATOMIC_ACQUIRE);
}

int blob_size(const struct blob *blob)
{
	return blob->size;
}

#ifdef DRIVER
static void *user(void *blob)
{
	for (int i = 0; i < 2; i++) {
		blob_hold(blob);
		blob_drop(blob);
	}
	return NULL;
}

int main(void)
{
	struct blob *blob = blob_new(3);
	pthread_t one, two;
	pthread_create(&one, NULL, user, blob);
	pthread_create(&two, NULL, user, blob);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return blob_references(blob) != blob_size(blob) - 2;
}
#endif
