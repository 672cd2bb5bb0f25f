/* ConcurrentHashMap.containsValue(): reads bin after bin, for any value here. */
#define START 2
#include "hash_map.h"

int map_contains_any(struct map *m)
{
	for (unsigned i = 0; i < BINS; i++)
		if (map_get(m, i))
			return 1;
	return 0;
}
