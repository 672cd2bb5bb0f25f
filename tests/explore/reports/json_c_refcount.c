// json-c issue 212: two threads count the references of one object. Needs json-c: 0.12.1 has the bug, 0.13.1,
// configured with --enable-threading, the repair. The program is that of the report, with one round.
#include <json_object.h>
#include <pthread.h>
#include <stdlib.h>

static int freed;

static void count_free(struct json_object *object, void *userdata)
{
	(void)object;
	(void)userdata;
	if (freed++)
		abort();
}

static int text(struct json_object *object, struct printbuf *buffer, int level, int flags)
{
	(void)object;
	(void)buffer;
	(void)level;
	(void)flags;
	return 0;
}

static void *copy(void *object)
{
	json_object_put(json_object_get(object));
	json_object_put(object);
	return NULL;
}

int main(void)
{
	struct json_object *object = json_object_new_object();
	pthread_t thread;

	json_object_set_serializer(object, text, NULL, count_free);
	pthread_create(&thread, NULL, copy, json_object_get(object));
	json_object_put(object);
	pthread_join(thread, NULL);
	return freed == 1 ? 0 : 1;
}
