/* Library types that are described by what they stand for: std::function by its target,
   std::chrono's durations and points in time with their unit. Forms as gdb's printers for libstdc++
   have them. */
#include "tracer/inspect/values/layout.h"

#include "tracer/elf/module.h"
#include "tracer/source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- std::function -------------------------------------------------------------------------- */

/* Returns the demangled symbol at the address, a function's or another one, or NULL. The caller
   frees it. */
static char *symbol_name(const struct dwarf_program *p, uint64_t address, bool functions)
{
	uint64_t bias;
	struct module *m = p && p->module_at ? p->module_at(p->ctx, address, &bias) : NULL;
	const struct elf_symbol *s = m ? module_symbol_at(m, address - bias, functions) : NULL;

	return s ? source_demangle(s->name) : NULL;
}

/* Symbols whose template arguments have the target's type. */
static const struct target_symbol {
	const char *begin, *end;
	bool last;	  /* the type is the last argument, not the first */
	uint64_t pointer; /* offset in the functor's memory of a target that is a pointer */
} target_symbols[] = {
	{"std::_Function_handler<", ">::_M_invoke(", true, 0},
	{"vtable for std::__1::__function::__func<", NULL, false, 8}, /* after the vtable's */
};

static const struct target_symbol *target_symbol(const char *name)
{
	for (size_t i = 0; i < sizeof(target_symbols) / sizeof(*target_symbols); i++)
		if (strstr(name, target_symbols[i].begin))
			return &target_symbols[i];
	return NULL;
}

/* Returns false if the name has another form than "std::_Function_handler<int (int),
   TARGET>::_M_invoke(...)" or "vtable for std::__1::__function::__func<TARGET, ...>". */
static bool target_type(const struct target_symbol *form, const char *name, struct str *out)
{
	const char *from = strstr(name, form->begin) + strlen(form->begin), *comma;
	const char *to = form->end ? strstr(from, form->end) : name + strlen(name);
	unsigned deep = 0;

	if (!to)
		return false;
	for (comma = from; comma < to && (deep || *comma != ','); comma++)
		deep += strchr("(<[{", *comma) ? 1u : strchr(")>]}", *comma) ? -1u : 0;
	if (comma == to)
		return false;
	if (form->last)
		from = comma + strspn(comma, ", ");
	else
		to = comma;
	while (to > from && to[-1] == ' ') /* "plus<int> >" */
		to--;
	str_add_bytes(out, from, (size_t)(to - from));
	return true;
}

/* A target that is a pointer to a function is stored in the object. */
static bool add_pointed_to(const struct inspect_value *v, const struct target_symbol *form,
			   struct str *out)
{
	struct inspect_value functor, word;
	bool is_unsigned;
	int64_t address;
	ERROR(ignored);
	char *name = NULL;

	if (layout_part(v, layout_of(v)->functor, &functor, &ignored) > 0 &&
	    value_part(&functor, type_builtin("unsigned long"), form->pointer, &word, &ignored) ==
		    0 &&
	    value_integer(&word, &address, &is_unsigned, &ignored) == 0)
		name = symbol_name(v->program, (uint64_t)address, true);
	if (name)
		str_add(out, name);
	base_free(name);
	return name;
}

static bool add_target(const struct inspect_value *v, const struct type_layout *l, struct str *out)
{
	const struct target_symbol *form;
	OWNED(symbol) = NULL;
	uint64_t engaged, address;
	ERROR(ignored);
	STR(target);

	if (layout_number(v, l->engaged, &engaged, &ignored) < 0)
		return false;
	if (!engaged) {
		str_add(out, "{no target}");
		return true;
	}
	if (layout_number(v, l->first, &address, &ignored) < 0)
		return false;
	symbol = symbol_name(v->program, address, false);
	form = symbol ? target_symbol(symbol) : NULL;
	if (!form || !target_type(form, symbol, &target))
		return false;
	str_add(out, "{");
	if (!strstr(str_text(&target), "(*)") || !add_pointed_to(v, form, out))
		str_add(out, str_text(&target));
	str_add(out, "}");
	return true;
}

/* ---- std::chrono ---------------------------------------------------------------------------- */

struct period {
	long long num, den;
};

/* Reads the period from the type's name, "ratio<1, 1000>" or "ratio<1L, 1000L>". */
static bool read_period(const struct type *duration, struct period *out)
{
	const struct type *ratio = type_argument(duration, 1);
	const char *at = ratio && ratio->tag ? strchr(ratio->tag, '<') : NULL;
	char *end;

	if (!at)
		return false;
	out->num = strtoll(at + 1, &end, 10);
	end += strspn(end, "lL, ");
	out->den = strtoll(end, NULL, 10);
	return out->num > 0 && out->den > 0;
}

static void add_unit(const struct period *p, struct str *out)
{
	static const struct {
		struct period period;
		const char *unit;
	} units[] = {{{1, 1}, "s"},	      {{1, 1000}, "ms"}, {{1, 1000000}, "us"},
		     {{1, 1000000000}, "ns"}, {{60, 1}, "min"},	 {{3600, 1}, "h"},
		     {{86400, 1}, "d"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].period.num == p->num && units[i].period.den == p->den) {
			str_add(out, units[i].unit);
			return;
		}
	if (p->den == 1)
		str_addf(out, "[%lld]s", p->num);
	else
		str_addf(out, "[%lld/%lld]s", p->num, p->den);
}

/* Adds "1500ms". *seconds is the same in seconds. */
static bool add_duration(const struct inspect_value *v, struct str *out, double *seconds)
{
	struct inspect_value count;
	struct inspect_plain plain;
	struct period period;
	ERROR(ignored);
	bool known;

	if (!read_period(v->type, &period) ||
	    layout_part(v, layout_of(v)->first, &count, &ignored) <= 0 ||
	    inspect_plain(&count, &plain, &ignored) < 0)
		return false;
	known = plain.kind == INSPECT_INTEGER || plain.kind == INSPECT_FLOAT;
	if (known) {
		inspect_describe(&count, out);
		add_unit(&period, out);
		*seconds = plain_real(&plain) * (double)period.num / (double)period.den;
	}
	inspect_plain_fini(&plain);
	return known;
}

/* Adds the date of a point in time of the system's clock: its epoch is that of Unix. */
static bool add_time(const struct inspect_value *v, struct str *out)
{
	const struct type *clock = type_argument(v->type, 0);
	struct inspect_value since;
	double seconds;
	struct tm utc;
	time_t at;
	char text[40];
	ERROR(ignored);

	if (!clock || layout_part(v, layout_of(v)->first, &since, &ignored) <= 0 ||
	    layout_of(&since)->kind != LAYOUT_DURATION || !add_duration(&since, out, &seconds))
		return false;
	at = (time_t)seconds;
	if (clock->tag && strcmp(clock->tag, "system_clock") == 0 && gmtime_r(&at, &utc) &&
	    strftime(text, sizeof(text), " [%Y-%m-%d %H:%M:%S]", &utc))
		str_add(out, text);
	return true;
}

bool pretty_described(const struct inspect_value *v, struct str *out)
{
	const struct type_layout *l = layout_of(v);
	double seconds;

	switch (l->kind) {
	case LAYOUT_FUNCTION:
		return add_target(v, l, out);
	case LAYOUT_DURATION:
		return add_duration(v, out, &seconds);
	case LAYOUT_TIME:
		return add_time(v, out);
	default:
		return false;
	}
}

/* ---- with the name of the type -------------------------------------------------------------- */

static void add_counted(const struct inspect_value *v, const char *name, struct str *out)
{
	struct value_row row;
	ERROR(ignored);

	if (pretty_row(v, &row, &ignored) > 0)
		str_addf(out, "%s with %llu element%s = ", name, (unsigned long long)row.count,
			 str_plural(row.count));
}

/* Finds the number of elements that have memory. Returns false if it is not known. */
static bool vector_capacity(const struct inspect_value *v, const struct value_row *row,
			    uint64_t *out)
{
	const struct type_layout *l = row->layout;
	const bool bits = l->kind == LAYOUT_BITS;
	uint64_t size = layout_size(v->program, row->type), room;
	ERROR(ignored);

	if (!size || !l->room || layout_number(v, l->room, &room, &ignored) < 0)
		return false;
	if (bits && !l->end)
		*out = room * 64;
	else
		*out = (room - row->address) * (bits ? 8 : 1) / size;
	return l->end ? room >= row->address : true;
}

static void add_vector(const struct inspect_value *v, const char *name, struct str *out)
{
	const bool bits = layout_of(v)->kind == LAYOUT_BITS;
	struct value_row row;
	uint64_t capacity;
	ERROR(ignored);

	if (pretty_row(v, &row, &ignored) > 0) {
		str_addf(out, "%s%s of length %llu", name, bits ? "<bool>" : "",
			 (unsigned long long)row.count);
		if (vector_capacity(v, &row, &capacity))
			str_addf(out, ", capacity %llu", (unsigned long long)capacity);
		str_add(out, " = ");
	}
}

/* Returns false for a variant without a value. */
static bool add_variant(const struct inspect_value *v, struct str *out)
{
	const struct type *alternative;
	unsigned index;
	ERROR(ignored);
	int answer = pretty_alternative(v, &index, &ignored);

	if (answer < 0)
		return true;
	str_add(out, "std::variant<");
	for (unsigned i = 0; (alternative = type_argument(v->type, i)); i++) {
		str_add(out, i ? ", " : "");
		if (alternative->tag && strncmp(alternative->tag, "basic_string<char,", 18) == 0)
			str_add(out, "std::string");
		else
			type_spell(alternative, out);
	}
	if (answer)
		str_addf(out, "> [index %u] = ", index);
	else
		str_add(out, "> [no contained value]");
	return answer;
}

static void add_clock(const struct inspect_value *v, struct str *out)
{
	const struct type *clock = type_argument(v->type, 0);
	const char *name = clock && clock->tag ? clock->tag : "?";

	if (strcmp(name, "system_clock") == 0)
		str_add(out, "std::chrono::sys_time");
	else
		str_addf(out, "std::chrono::%s time_point", name);
}

/* Returns false if nothing follows. */
static bool add_title(const struct inspect_value *v, struct str *out)
{
	const struct type_layout *l = layout_of(v);
	STR(name);

	if (l->rust || l->text || l->kind == LAYOUT_NONE)
		return true;
	str_add_bytes(&name, l->begins, strcspn(l->begins, "<"));
	switch (l->kind) {
	case LAYOUT_ROW:
	case LAYOUT_BITS:
		add_vector(v, str_text(&name), out);
		break;
	case LAYOUT_BLOCKS:
	case LAYOUT_LINKS:
	case LAYOUT_TREE:
		add_counted(v, str_text(&name), out);
		break;
	case LAYOUT_VARIANT:
		return add_variant(v, out);
	case LAYOUT_FUNCTION:
	case LAYOUT_DURATION:
		str_addf(out, "%s = ", str_text(&name));
		break;
	case LAYOUT_TIME:
		add_clock(v, out);
		str_add(out, " = ");
		break;
	default:
		break;
	}
	return true;
}

void inspect_print(const struct inspect_value *v, struct str *out)
{
	struct inspect_value whole = *v;
	enum layout_kind kind = LAYOUT_NONE;
	bool braced;
	ERROR(ignored);

	if (value_whole(&whole, &ignored) == 0 && value_is_record(whole.type))
		kind = layout_of(&whole)->kind;
	if (kind != LAYOUT_NONE && !add_title(&whole, out))
		return;
	braced = kind == LAYOUT_DURATION || kind == LAYOUT_TIME;
	str_add(out, braced ? "{ " : kind == LAYOUT_VARIANT ? "{" : "");
	inspect_describe(v, out);
	str_add(out, braced ? " }" : kind == LAYOUT_VARIANT ? "}" : "");
}
