/* A printer whose name and speed are set when it is made and only read after: they need no lock. */
#include <pthread.h>
#include <stdlib.h>

struct printer {
	pthread_mutex_t lock;
	const char *name;
	int speed;
	int pages;
};

struct printer *printer_new(const char *name, int speed)
{
	struct printer *printer = malloc(sizeof(*printer));
	if (!printer)
		return NULL;
	pthread_mutex_init(&printer->lock, NULL);
	printer->name = name;
	printer->speed = speed;
	printer->pages = 0;
	return printer;
}

const char *printer_name(const struct printer *printer)
{
	return printer->name;
}

int printer_minutes(struct printer *printer, int pages)
{
	pthread_mutex_lock(&printer->lock);
	printer->pages += pages;
	int waiting = printer->pages;
	pthread_mutex_unlock(&printer->lock);
	return waiting / printer->speed;
}
