/* Has the counter in a struct of its own and hands its address to the counter's functions, which is what it is for. */
#include "exposed_but_untouched.h"

struct museum {
	const char *name;
	struct visits visits;
};

void museum_found(struct museum *museum, const char *name)
{
	museum->name = name;
	visits_init(&museum->visits);
}

long museum_visit(struct museum *museum)
{
	visits_add(&museum->visits);
	return visits_number(&museum->visits);
}
