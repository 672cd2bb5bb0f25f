/*
 * Random numbers that are the same on every machine: xoshiro256** of Blackman and Vigna, its state
 * filled by splitmix64 (Steele, Lea, Flood). Each run of a search has its own sequence.
 */
#ifndef GATECTL_SCHED_STRATEGY_PRNG_H
#define GATECTL_SCHED_STRATEGY_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t state[4];
};

/* Starts the sequence of this run of the search. */
void prng_seed(struct prng *r, uint64_t seed, uint64_t run);
/* Returns 64 random bits. */
uint64_t prng_next(struct prng *r);

/* Returns a uniform number from 0 to limit - 1; limit is not 0. */
uint64_t prng_below(struct prng *r, uint64_t limit);

#endif
