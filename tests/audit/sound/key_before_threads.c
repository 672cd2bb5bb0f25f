/* A program makes a key, and fills its table, before it makes a thread, and once more when the thread has ended. */
#include <pthread.h>

static struct table {
	pthread_mutex_t lock;
	int entries, used;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_key_t key;

static void *use(void *unused)
{
	pthread_mutex_lock(&table.lock);
	table.used += table.entries;
	pthread_mutex_unlock(&table.lock);
	return unused;
}

static void use_aside(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use, NULL);
	use(NULL);
	pthread_join(thread, NULL);
}

int main(void)
{
	pthread_key_create(&key, NULL);
	for (int i = 0; i < 2; i++) {
		table.entries = 10;
		table.used = 0;
		use_aside();
	}
	return table.used == 0;
}
