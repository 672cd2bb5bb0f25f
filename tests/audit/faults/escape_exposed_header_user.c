/* Uses the battery, and looks into its struct past the functions of its module. */
#include <stdbool.h>
#include "escape_exposed_header.h"

bool lamp_can_shine(struct battery *battery)
{
	return battery->charge > 10; /* finding: P1 charge */
}

void lamp_plug_in(struct battery *battery)
{
	if (battery_left(battery) < 100)
		battery_charge(battery, 5);
}
