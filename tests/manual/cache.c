/* A cache under a lock of the project's own, cache_enter() and cache_leave(). */
struct lock {
	int owner;
};

void cache_enter(struct lock *lock);
void cache_leave(struct lock *lock);

struct cache {
	struct lock lock;
	int hits;
};

void cache_hit(struct cache *c)
{
	cache_enter(&c->lock);
	c->hits++;
	cache_leave(&c->lock);
}
