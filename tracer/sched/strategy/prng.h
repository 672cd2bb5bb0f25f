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

void prng_seed(struct prng *r, uint64_t seed, uint64_t run);
uint64_t prng_next(struct prng *r);

/* From 0 to limit - 1, each as likely as each other; limit is not 0. */
uint64_t prng_below(struct prng *r, uint64_t limit);

#endif
