/* ConcurrentHashMap.size(): a counter that is updated after the bins. */
#include "hash_map.h"

int map_size(struct map *m)
{
	return __atomic_load_n(&m->count, __ATOMIC_SEQ_CST);
}
