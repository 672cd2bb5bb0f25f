#include "tracer/sched/strategy/spin.h"

static bool is_power_of_two(unsigned long n)
{
	return (n & (n - 1)) == 0;
}

static void strategy_spin_watch(struct spin_watch *s, const struct strategy_point *moved)
{
	s->place = moved->place;
	s->object = moved->object;
	s->hits = s->hits_before = 0;
}

bool spin_step(struct spin_watch *s, const struct strategy_point *moved)
{
	if (s->thread != moved->thread)
		*s = (struct spin_watch){.thread = moved->thread};
	s->steps++;
	if (is_power_of_two(s->steps)) {
		if (s->hits == s->hits_before)
			strategy_spin_watch(s, moved);
		s->hits_before = s->hits;
	}
	if (moved->place != s->place || moved->object != s->object || ++s->hits < SPIN_HITS)
		return false;
	*s = (struct spin_watch){.thread = moved->thread};
	return true;
}

unsigned spin_left(const struct spin_watch *s)
{
	return SPIN_HITS - 1 - s->hits;
}
