/* A new object is published by a plain store: no lock, no atomic; all its fields are set before. */
#include <pthread.h>
#include <stdlib.h>
struct cfg { pthread_mutex_t lock; int limit; };
static struct cfg *the_cfg;
void cfg_init(int limit) { struct cfg *c = malloc(sizeof *c); pthread_mutex_init(&c->lock, 0); c->limit = limit;
	the_cfg = c; /* finding: P2 the_cfg */
}
int cfg_limit(void) { struct cfg *c = the_cfg; if (!c) return 0; pthread_mutex_lock(&c->lock); int v = c->limit; pthread_mutex_unlock(&c->lock); return v; }
