/* Static variables under a static mutex, which one reader forgets. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, total;
void stats_add(int k) { pthread_mutex_lock(&lock); calls++; total += k; pthread_mutex_unlock(&lock); }
void stats_reset(void) { pthread_mutex_lock(&lock); calls = total = 0; pthread_mutex_unlock(&lock); }
int stats_calls(void) { pthread_mutex_lock(&lock); int r = calls; pthread_mutex_unlock(&lock); return r; }
int stats_total(void) { return total; } /* finding: P3 total */
