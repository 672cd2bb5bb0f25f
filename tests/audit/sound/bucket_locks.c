/* A hash table with a lock for each bucket, which is held through the bucket's address. */
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 8

struct bucket {
	pthread_mutex_t lock;
	int keys;
	int newest;
};

struct hash_table {
	struct bucket buckets[BUCKETS];
};

struct hash_table *hash_table_new(void)
{
	struct hash_table *table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&table->buckets[i].lock, NULL);
	return table;
}

void hash_table_add(struct hash_table *table, unsigned key)
{
	struct bucket *bucket = &table->buckets[key % BUCKETS];
	pthread_mutex_lock(&bucket->lock);
	bucket->newest = (int)key;
	bucket->keys++;
	pthread_mutex_unlock(&bucket->lock);
}

int hash_table_size(struct hash_table *table)
{
	int size = 0;
	for (int i = 0; i < BUCKETS; i++) {
		pthread_mutex_lock(&table->buckets[i].lock);
		size += table->buckets[i].keys;
		pthread_mutex_unlock(&table->buckets[i].lock);
	}
	return size;
}
