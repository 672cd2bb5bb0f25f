/* As owner_locked_by_callers.c, and a new file is closed, too: of what nobody else has yet the desk need not be locked. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct file {
	pthread_mutex_t lock;
	struct file *next;
	int number;
};

struct desk {
	pthread_mutex_t lock;
	struct file *files;
	int closed;
};

static void file_close(struct file *file)
{
	pthread_mutex_lock(&file->lock);
	file->number = -1;
	pthread_mutex_unlock(&file->lock);
}

int file_number(struct file *file)
{
	int number;

	pthread_mutex_lock(&file->lock);
	number = file->number;
	pthread_mutex_unlock(&file->lock);
	return number;
}

static bool file_is_open(const struct file *file)
{
	return file->number >= 0;
}

void desk_close(struct desk *desk)
{
	pthread_mutex_lock(&desk->lock);
	for (struct file *file = desk->files; file; file = file->next) {
		file_close(file);
		desk->closed++;
	}
	pthread_mutex_unlock(&desk->lock);
}

int desk_open_files(struct desk *desk)
{
	int open = 0;

	pthread_mutex_lock(&desk->lock);
	for (struct file *file = desk->files; file; file = file->next)
		open += file_is_open(file);
	pthread_mutex_unlock(&desk->lock);
	return open;
}

struct file *file_new(void)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	pthread_mutex_init(&file->lock, NULL);
	file_close(file);
	return file;
}
