/* A document with a recursive lock: saving locks, and calls a function that locks once more. */
#include <pthread.h>
#include <stdlib.h>

struct document {
	pthread_mutex_t lock;
	int changes;
	int saves;
};

struct document *document_new(void)
{
	pthread_mutexattr_t attributes;
	struct document *document = calloc(1, sizeof(*document));
	if (!document)
		return NULL;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&document->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return document;
}

int document_changes(struct document *document)
{
	pthread_mutex_lock(&document->lock);
	int changes = document->changes;
	pthread_mutex_unlock(&document->lock);
	return changes;
}

void document_change(struct document *document)
{
	pthread_mutex_lock(&document->lock);
	document->changes++;
	pthread_mutex_unlock(&document->lock);
}

void document_save(struct document *document)
{
	pthread_mutex_lock(&document->lock);
	if (document_changes(document) > 0) {
		document->changes = 0;
		document->saves++;
	}
	pthread_mutex_unlock(&document->lock);
}
