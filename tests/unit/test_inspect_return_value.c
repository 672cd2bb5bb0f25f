/* Return values: their registers, and reading them at a return. */
#include "symbols_abi.h"

/* ---- classes -------------------------------------------------------------------------------- */

static const struct {
	const char *type, *place; /* I: integer, S: SSE, X: x87, M: memory; with sizes */
} classes[] = {
	{"char", "I1"},		  {"unsigned long", "I8"},   {"float", "S4"},
	{"double", "S8"},	  {"long double", "X10"},    {"__int128", "I8I8"},
	{"void *", "I8"},	  {"enum colour", "I4"},     {"struct small", "I8"},
	{"struct mixed", "I8S8"}, {"struct floats", "S8S4"}, {"struct large", "M"},
	{"struct packed", "M"},	  {"union both", "I8"},	     {"union odd", "M"},
	{"struct wide", "X10"},	  {"struct bits", "I8"},
};

static void classification(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		const struct type *t =
			type_named(&p->self->program, p->call.frame.module, 0, classes[i].type);
		struct str made = {0};
		struct abi_place place;

		if (!t)
			fail_msg("%s: no such type", classes[i].type);
		if (abi_classify(false, t, &p->self->program, &place, &p->err) < 0)
			fail_msg("%s: %s", classes[i].type, p->err.text);
		if (place.memory)
			str_add(&made, "M");
		for (unsigned k = 0; k < place.parts; k++)
			str_addf(&made, "%c%u", "ISX"[place.part[k].class], place.part[k].size);
		if (strcmp(str_text(&made), classes[i].place) != 0)
			fail_msg("%s: %s, not %s", classes[i].type, str_text(&made),
				 classes[i].place);
		str_fini(&made);
	}
}

/* ---- results -------------------------------------------------------------------------------- */

/* A frame at the first return instruction of a function, with made-up registers. */
static void at_return(struct place *p, const char *function, struct inspect_call *out)
{
	struct location l;
	struct source_sites sites;
	struct module *m = p->self->modules[0].module;
	char where[64];

	snprintf(where, sizeof(where), "%s%%return", function);
	assert_int_equal(location_parse(where, &l, &p->err), 0);
	if (source_resolve(p->self->symbols, &m, 1, &l, &sites, &p->err) != SOURCE_FOUND)
		fail_msg("%s", p->err.text);
	*out = (struct inspect_call){.frame = p->call.frame, .function = function};
	out->frame.pc = out->frame.lookup_pc = sites.items[0].offset + p->self->modules[0].bias;
	out->frame.regs[0] = 0x0000000500000004;
	source_sites_fini(&sites);
	location_fini(&l);
}

static void results(void **state)
{
	struct place *p = *state;
	struct inspect_call at;
	struct inspect_value v;
	double half = 0.5;

	at_return(p, "abi_six", &at);
	assert_int_equal(inspect_return_value(&at, &v, &p->err), 0);
	assert_int_equal(whole(&v), 0x500000004);
	assert_int_equal(v.reg, 0);
	at_return(p, "abi_char", &at);
	assert_int_equal(inspect_return_value(&at, &v, &p->err), 0);
	assert_int_equal(whole(&v), 4);
	at_return(p, "abi_small", &at);
	assert_int_equal(inspect_return_value(&at, &v, &p->err), 0);
	assert_int_equal(member(&v, "a"), 4);
	assert_int_equal(member(&v, "b"), 5);
	memcpy(&p->self->xmm, &half, sizeof(half));
	at_return(p, "abi_floats", &at);
	assert_int_equal(inspect_return_value(&at, &v, &p->err), 0);
	assert_int_equal(v.reg, DWARF_XMM0);
	at_return(p, "abi_large", &at);
	at.frame.regs[0] = (uint64_t)&abi_big;
	assert_int_equal(inspect_return_value(&at, &v, &p->err), 0);
	assert_int_equal(v.address, (uint64_t)&abi_big);
	at_return(p, "abi_void", &at);
	assert_int_equal(inspect_return_value(&at, &v, &p->err), -1);
	assert_non_null(strstr(p->err.text, "abi_void returns nothing"));
	at.frame.pc = at.frame.lookup_pc = (uint64_t)abi_six;
	assert_int_equal(inspect_return_value(&at, &v, &p->err), -1);
	assert_non_null(strstr(p->err.text, "not about to return"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classification),
		cmocka_unit_test(results),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
