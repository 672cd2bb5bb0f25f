/* ConcurrentHashMap.clear(): bin by bin. */
#include "hash_map.h"

void map_clear(struct map *m)
{
	for (unsigned i = 0; i < BINS; i++)
		exchange(m, i, 0);
}
