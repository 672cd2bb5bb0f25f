/* Uses the thermometer by its functions, and keeps the pointer in a struct of its own. */
#include <stdbool.h>
#include "opaque_header.h"

struct greenhouse {
	struct thermometer *inside;
	int limit;
};

void greenhouse_set_up(struct greenhouse *greenhouse, int limit)
{
	greenhouse->inside = thermometer_new();
	greenhouse->limit = limit;
}

bool greenhouse_too_hot(struct greenhouse *greenhouse, int degrees)
{
	thermometer_read(greenhouse->inside, degrees);
	return thermometer_highest(greenhouse->inside) > greenhouse->limit;
}
