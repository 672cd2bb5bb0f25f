/* ConcurrentHashMap.putAll(): key by key. */
#include "hash_map.h"

void map_put_all(struct map *m, const unsigned *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		map_put(m, keys[i]);
}
