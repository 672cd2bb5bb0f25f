/* A module without structs: one reader forgets the mutex of the variables. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, sum;
void add(int v) { pthread_mutex_lock(&lock); count++; sum += v; pthread_mutex_unlock(&lock); }
void sub(int v) { pthread_mutex_lock(&lock); count--; sum -= v; pthread_mutex_unlock(&lock); }
void clear(void) { pthread_mutex_lock(&lock); count = 0; sum = 0; pthread_mutex_unlock(&lock); }
int mean(void)
{
	int n = count; /* finding: P3 count */

	return n ? sum / n : 0; /* finding: P3 sum */
}
