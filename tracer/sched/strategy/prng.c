/* xoshiro256** random numbers with one seed for each run. */
#include "tracer/sched/strategy/prng.h"

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static uint64_t splitmix(uint64_t *state)
{
	return mix(*state += 0x9e3779b97f4a7c15);
}

/* Mixes twice, so that adjacent runs and adjacent seeds have unrelated sequences. */
void prng_seed(struct prng *r, uint64_t seed, uint64_t run)
{
	uint64_t state = seed;

	state = splitmix(&state) + run;
	state = splitmix(&state);
	for (unsigned i = 0; i < 4; i++)
		r->state[i] = splitmix(&state);
}

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

uint64_t prng_next(struct prng *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t prng_below(struct prng *r, uint64_t limit)
{
	/* 2^64 mod limit: rejecting as many values makes the rest uniform */
	uint64_t low = -limit % limit;
	uint64_t x;

	do
		x = prng_next(r);
	while (x < low);
	return x % limit;
}
