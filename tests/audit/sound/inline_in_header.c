/* Cancelling: the reason never changes after the object is made, and the flag is atomic. */
#include <stdlib.h>
#include "inline_in_header.h"

struct cancel *cancel_new(const char *reason)
{
	struct cancel *cancel = malloc(sizeof(*cancel));
	if (!cancel)
		return NULL;
	atomic_init(&cancel->asked, false);
	cancel->reason = reason;
	return cancel;
}

void cancel_ask(struct cancel *cancel)
{
	atomic_store(&cancel->asked, true);
}

const char *cancel_reason(const struct cancel *cancel)
{
	return cancel->reason;
}
