/* A table that the library makes when it is loaded, and frees when it is unloaded: no thread is left then. */
#include <pthread.h>
#include <stdlib.h>

struct row {
	struct row *next;
};

struct table {
	pthread_mutex_t lock;
	struct row *rows;
	int count;
};

static struct table *table;

static void __attribute__((constructor)) table_begin(void)
{
	table = calloc(1, sizeof(*table));
	pthread_mutex_init(&table->lock, NULL);
}

void table_final(void)
{
	struct row *next = NULL;

	pthread_mutex_lock(&table->lock);
	for (struct row *row = table->rows; row; row = next) {
		next = row->next;
		free(row);
	}
	pthread_mutex_unlock(&table->lock);
	free(table);
	table = NULL;
}

static void __attribute__((destructor)) table_end(void)
{
	table_final();
}

int table_count(void)
{
	pthread_mutex_lock(&table->lock);
	int count = table->count;
	pthread_mutex_unlock(&table->lock);
	return count;
}
