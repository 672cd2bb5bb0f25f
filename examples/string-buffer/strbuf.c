/*
 * A string buffer with a lock in each object, and the bug that java.lang.StringBuffer once had.
 *
 * sb_append() asks the other buffer for its length and then for that many characters. Each question
 * is answered under the other buffer's lock, but between the two the lock is free: when somebody
 * shortens the other buffer there, the characters asked for do not exist any more.
 *
 * Here a logger appends a status text to its log, and a timer clears the status text.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROOM 256

struct strbuf {
	pthread_mutex_t lock;
	size_t length;
	char text[ROOM];
};

static size_t sb_length(struct strbuf *sb)
{
	size_t length;

	pthread_mutex_lock(&sb->lock);
	length = sb->length;
	pthread_mutex_unlock(&sb->lock);
	return length;
}

/* Copies the characters [0, end) to out. ERANGE where there are not so many. */
static int sb_get_chars(struct strbuf *sb, size_t end, char *out)
{
	int error = 0;

	pthread_mutex_lock(&sb->lock);
	if (end > sb->length)
		error = ERANGE;
	else
		memcpy(out, sb->text, end);
	pthread_mutex_unlock(&sb->lock);
	return error;
}

static void sb_truncate(struct strbuf *sb, size_t length)
{
	pthread_mutex_lock(&sb->lock);
	if (length < sb->length)
		sb->length = length;
	pthread_mutex_unlock(&sb->lock);
}

/* Appends what is in `other`. 0, or an error number; then `sb` is as before. */
static int sb_append(struct strbuf *sb, struct strbuf *other)
{
	int error = ENOSPC;
	size_t length;

	pthread_mutex_lock(&sb->lock);
	length = sb_length(other);
	if (length <= ROOM - sb->length) {
		error = sb_get_chars(other, length, sb->text + sb->length);
		if (error == 0)
			sb->length += length;
	}
	pthread_mutex_unlock(&sb->lock);
	return error;
}

static struct strbuf status = {PTHREAD_MUTEX_INITIALIZER, 17, "3 files, 12 lines"};
static struct strbuf report = {PTHREAD_MUTEX_INITIALIZER, 8, "status: "};

static void *logger(void *result)
{
	*(int *)result = sb_append(&report, &status);
	return NULL;
}

static void *timer(void *unused)
{
	struct timespec period = {.tv_nsec = 15 * 1000000L};

	(void)unused;
	nanosleep(&period, NULL);
	sb_truncate(&status, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int error = 0;

	if (pthread_create(&threads[0], NULL, logger, &error) != 0 ||
	    pthread_create(&threads[1], NULL, timer, NULL) != 0) {
		fprintf(stderr, "strbuf: cannot start a thread\n");
		return 2;
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (error != 0) {
		printf("append failed: %s\n", strerror(error));
		return 1;
	}
	printf("%.*s\n", (int)report.length, report.text);
	return 0;
}
