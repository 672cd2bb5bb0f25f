/* As owner_locked_by_callers.c, and one file is closed without the lock of the desk. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

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
	return file->number >= 0; /* finding: P3 number */
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

void desk_close_first(struct desk *desk)
{
	struct file *file;

	pthread_mutex_lock(&desk->lock);
	file = desk->files;
	pthread_mutex_unlock(&desk->lock);
	if (file)
		file_close(file);
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
