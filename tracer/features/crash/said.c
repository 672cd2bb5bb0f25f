/* Finds the last message of a program that aborts: glibc's text of a failed assertion or a damaged
 * heap (__abort_msg), or the uncaught C++ exception, to which frames of the C++ library point.
 * Memory is only read, no function of the program is called (README.md). */
#include "tracer/features/crash/crash.h"

#include "tracer/base/text/foreign.h"

#include <signal.h>
#include <string.h>

enum { TEXT_MOST = 400, TYPE_MOST = 300, BASES = 16 };

static int said_read_word(const struct crash *c, uint64_t address, uint64_t *out)
{
	return tracee_read(run_process_tracee(c->process), address, out, sizeof(*out));
}

/* Reads up to the terminating 0, byte by byte: the next page may not be mapped. */
static int read_text(const struct crash *c, uint64_t address, char *out, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		if (tracee_read(run_process_tracee(c->process), address + n, out + n, 1) < 0)
			return -1;
		if (!out[n])
			break;
		n++;
	}
	out[n] = '\0';
	return 0;
}

/* ---- __abort_msg ------------------------------------------------------------------------- */

static void abort_message(struct crash *c)
{
	uint64_t offset, size, message = 0;
	char text[TEXT_MOST];
	size_t n;

	array_each(const struct image, image, run_process_images(c->process))
		if (!message && module_symbol(image->module, "__abort_msg", &offset, &size) == 0)
			said_read_word(c, image->bias + offset, &message);
	if (!message || read_text(c, message + sizeof(unsigned), text, sizeof(text)) < 0)
		return;
	n = strlen(text);
	while (n && text[n - 1] == '\n')
		text[--n] = '\0';
	foreign_line(&c->said, text);
}

/* ---- exceptions -------------------------------------------------------------------------- */

/* struct _Unwind_Exception begins with the exception class. The type is stored before it, the
 * object after it (Itanium C++ ABI; equal in libstdc++ and libc++abi). */
enum { TYPE_BEFORE = 80, OBJECT_BEHIND = 32 };

static bool is_exception(const struct crash *c, uint64_t header, uint64_t *type)
{
	static const char *const makers[] = {"\0++CCUNG", "\0++CGNLC"};
	uint64_t maker;

	if (header % 8 || said_read_word(c, header, &maker) < 0)
		return false;
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (memcmp(&maker, makers[i], sizeof(maker)) == 0)
			return said_read_word(c, header - TYPE_BEFORE, type) == 0 && *type;
	return false;
}

static int type_name(const struct crash *c, uint64_t type, char *out, size_t size)
{
	uint64_t name;

	if (said_read_word(c, type + 8, &name) < 0 || read_text(c, name, out, size) < 0 || !*out)
		return -1;
	if (*out == '*') /* the type has internal linkage (Itanium C++ ABI 2.9.4) */
		memmove(out, out + 1, strlen(out));
	return 0;
}

/* Returns the type_info of the first base class, at offset 0 of the object, or 0 if there is none.
 * __vmi_class_type_info has flags and a count where __si_class_type_info points to its base. */
static uint64_t first_base(const struct crash *c, uint64_t type)
{
	enum { FLAGS_MOST = 3, VIRTUAL = 1, OFFSET_SHIFT = 8 };
	uint64_t word, place;

	if (said_read_word(c, type + 16, &word) < 0)
		return 0;
	if ((uint32_t)word > FLAGS_MOST || !(word >> 32) || word >> 32 > BASES)
		return word;
	if (said_read_word(c, type + 24, &word) < 0 || said_read_word(c, type + 32, &place) < 0)
		return 0;
	return place & VIRTUAL || place >> OFFSET_SHIFT ? 0 : word;
}

/* True if the type is or derives from runtime_error or logic_error, by first bases only. */
static bool holds_text(const struct crash *c, uint64_t type)
{
	for (int i = 0; i < BASES && type; i++) {
		char name[TYPE_MOST];

		if (type_name(c, type, name, sizeof(name)) < 0)
			return false;
		if (strcmp(name, "St13runtime_error") == 0 || strcmp(name, "St11logic_error") == 0)
			return true;
		if (strncmp(name, "St9exception", 12) == 0)
			return false;
		type = first_base(c, type);
	}
	return false;
}

#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/* Returns false, and adds nothing, if the type is no number. */
static bool add_number(const char *mangled, uint64_t word, struct str *out)
{
	double real;

	if (strlen(mangled) != 1 || !strchr("ijlmdb", *mangled))
		return false;
	memcpy(&real, &word, sizeof(real));
	if (*mangled == 'i')
		str_addf(out, " %d", (int)word);
	else if (*mangled == 'l')
		str_addf(out, " %ld", (long)word);
	else if (*mangled == 'd')
		str_addf(out, " %g", real);
	else if (*mangled == 'b')
		str_add(out, word & 1 ? " true" : " false");
	else
		str_addf(out, " %lu", *mangled == 'j' ? (unsigned)word : (unsigned long)word);
	return true;
}

static void said_add_value(const struct crash *c, uint64_t type, const char *mangled,
			   uint64_t object, struct str *out)
{
	char text[TEXT_MOST];
	uint64_t word;
	bool is_text = strcmp(mangled, "PKc") == 0 || strcmp(mangled, "Pc") == 0 ||
		       strcmp(mangled, STRING) == 0;

	if (said_read_word(c, object, &word) < 0 || add_number(mangled, word, out))
		return;
	if (!is_text && (!holds_text(c, type) || said_read_word(c, object + 8, &word) < 0))
		return;
	if (read_text(c, word, text, sizeof(text)) < 0)
		return;
	str_add(out, " \"");
	foreign_line(out, text);
	str_add(out, "\"");
}

static bool take_exception(struct crash *c, uint64_t header)
{
	STR(symbol);
	char mangled[TYPE_MOST];
	uint64_t type;
	char *name, *shown;

	if (!is_exception(c, header, &type) || type_name(c, type, mangled, sizeof(mangled)) < 0)
		return false;
	str_addf(&symbol, "_ZTS%s", mangled);
	name = source_demangle(str_text(&symbol));
	shown = strncmp(name, "typeinfo name for ", 18) == 0 ? name + 18 : name;
	str_add(&c->said, "uncaught exception ");
	foreign_line(&c->said, strcmp(mangled, STRING) == 0 ? "std::string" : shown);
	said_add_value(c, type, mangled, header + OBJECT_BEHIND, &c->said);
	base_free(name);
	return true;
}

static bool is_runtime(const char *function)
{
	static const char *const names[] = {"std::terminate",	    "__cxa_throw",
					    "__cxa_rethrow",	    "__cxa_call_terminate",
					    "__gxx_personality_v0", "_Unwind_RaiseException",
					    "_Unwind_Resume",	    "std::rethrow_exception"};

	for (size_t i = 0; function && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

/* A frame of the C++ library holds a pointer to the exception's header or to its object. */
static void exception(struct crash *c, const struct inspect_stack *calls)
{
	enum { WORDS = 1024, OBJECT = OBJECT_BEHIND, DEEPEST = 32 };
	size_t end = calls->count; /* index of the outermost frame of the C++ library */
	uint64_t low, high, word;

	for (size_t i = 0; i < calls->count && i < DEEPEST; i++)
		if (is_runtime(calls->items[i].function))
			end = i;
	if (end == calls->count)
		return;
	low = calls->items[0].frame.regs[ARCH_DWARF_SP];
	high = end + 1 < calls->count ? calls->items[end + 1].frame.regs[ARCH_DWARF_SP] : low;
	for (uint64_t at = low; at < high && at < low + 8 * WORDS; at += 8) {
		if (said_read_word(c, at, &word) < 0)
			return;
		if (word && (take_exception(c, word) || take_exception(c, word - OBJECT)))
			return;
	}
	str_add(&c->said, "std::terminate is called");
}

void crash_said(struct crash *c, const struct inspect_stack *calls)
{
	if (c->fault.signal != SIGABRT)
		return;
	exception(c, calls);
	if (!c->said.length)
		abort_message(c);
}
