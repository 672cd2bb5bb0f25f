/* Traffic counters that are _Atomic: the operators ++ and += on them are atomic, too. */
#include <stdlib.h>

struct traffic {
	_Atomic long packets;
	_Atomic long bytes;
};

struct traffic *traffic_new(void)
{
	return calloc(1, sizeof(struct traffic));
}

void traffic_count(struct traffic *traffic, long bytes)
{
	traffic->packets++;
	traffic->bytes += bytes;
}

long traffic_packets(struct traffic *traffic)
{
	return traffic->packets;
}

long traffic_bytes(struct traffic *traffic)
{
	return traffic->bytes;
}
