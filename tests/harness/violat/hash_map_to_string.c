/* ConcurrentHashMap.toString(): reads bin after bin. */
#include "hash_map.h"

const char *map_to_string(struct map *m)
{
	static __thread char text[BINS + 1];

	for (unsigned i = 0; i < BINS; i++)
		text[i] = (char)('0' + map_get(m, i));
	return text;
}
