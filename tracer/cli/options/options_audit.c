/* The options that only audit has. */
#include "tracer/cli/cli.h"

int options_audit(int key, const char *value, struct cli *out, struct error *err)
{
	switch (key) {
	case 'p':
		out->audit.folder = value;
		return 0;
	case OPT_TYPE:
		*array_add(&out->audit.types) = value;
		return 0;
	case OPT_LOCKS:
		*array_add(&out->audit.lock) = value;
		return 0;
	case OPT_UNLOCKS:
		*array_add(&out->audit.unlock) = value;
		return 0;
	case OPT_CONFIRM:
		out->audit.confirm = value;
		return 0;
	case OPT_BASELINE:
		out->audit.baseline = value;
		return 0;
	default:
		return error_set(err, ERROR_USAGE, "an option without a meaning: %d", key);
	}
}

void options_audit_settle(struct cli *cli)
{
	struct cli_audit *o = &cli->audit;

	o->flags = cli->harness.cflags;
	if (o->types.count)
		(void)array_add(&o->types);
	(void)array_add(&o->lock);
	(void)array_add(&o->unlock);
}

void options_audit_fini(struct cli *cli)
{
	array_fini(&cli->audit.types);
	array_fini(&cli->audit.lock);
	array_fini(&cli->audit.unlock);
}
