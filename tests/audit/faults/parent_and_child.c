/* A folder locks itself and then its files; a file that is removed locks itself and then its folder. */
#include <pthread.h>
#include <stdlib.h>

struct folder {
	pthread_mutex_t d_lock;
	int files;
};

struct file {
	pthread_mutex_t f_lock;
	struct folder *folder;
	int size;
};

struct folder *folder_new(void)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	if (!folder)
		return NULL;
	pthread_mutex_init(&folder->d_lock, NULL);
	return folder;
}

struct file *file_new(struct folder *folder, int size)
{
	struct file *file = malloc(sizeof(*file));
	if (!file)
		return NULL;
	pthread_mutex_init(&file->f_lock, NULL);
	file->folder = folder;
	file->size = size;
	return file;
}

int folder_add(struct folder *folder, struct file *file)
{
	pthread_mutex_lock(&folder->d_lock);
	pthread_mutex_lock(&file->f_lock); /* finding: lock-order d_lock f_lock (or the other) */
	folder->files++;
	int size = file->size;
	pthread_mutex_unlock(&file->f_lock);
	pthread_mutex_unlock(&folder->d_lock);
	return size;
}

void file_remove(struct file *file)
{
	struct folder *folder = file->folder;
	pthread_mutex_lock(&file->f_lock);
	file->size = 0;
	pthread_mutex_lock(&folder->d_lock); /* finding: lock-order f_lock d_lock (or the other) */
	folder->files--;
	pthread_mutex_unlock(&folder->d_lock);
	pthread_mutex_unlock(&file->f_lock);
}

#ifdef DRIVER
static struct folder *home;

static void *add(void *file)
{
	folder_add(home, file);
	folder_add(home, file);
	return NULL;
}

static void *removing(void *file)
{
	file_remove(file);
	file_remove(file);
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	home = folder_new();
	struct file *file = file_new(home, 9);
	pthread_create(&one, NULL, add, file);
	pthread_create(&two, NULL, removing, file);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return folder_add(home, file) != 0;
}
#endif
