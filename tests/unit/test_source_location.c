/* Parsing of locations, and rejections. */
#include "tracer/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct accepted {
	const char *text;
	enum location_kind kind;
	const char *object, *name, *search;
	unsigned line;
	uint64_t address;
	unsigned match;
};

static const struct accepted good[] = {
	{"calc.c:7", LOCATION_LINE, NULL, "calc.c", NULL, 7, 0, 0},
	{" src/calc.c:14 ", LOCATION_LINE, NULL, "src/calc.c", NULL, 14, 0, 0},
	{"/abs/a b.c:1#2", LOCATION_LINE, NULL, "/abs/a b.c", NULL, 1, 0, 2},
	{"libfoo.so!calc.c:7", LOCATION_LINE, "libfoo.so", "calc.c", NULL, 7, 0, 0},
	{"worker", LOCATION_FUNC, NULL, "worker", NULL, 0, 0, 0},
	{"worker#3", LOCATION_FUNC, NULL, "worker", NULL, 0, 0, 3},
	{"./a.out!worker", LOCATION_FUNC, "./a.out", "worker", NULL, 0, 0, 0},
	{"Queue::push", LOCATION_FUNC, NULL, "Queue::push", NULL, 0, 0, 0},
	{"Queue<int>::push", LOCATION_FUNC, NULL, "Queue<int>::push", NULL, 0, 0, 0},
	{"::main", LOCATION_FUNC, NULL, "::main", NULL, 0, 0, 0},
	{"~Queue", LOCATION_FUNC, NULL, "~Queue", NULL, 0, 0, 0},
	{"operator<<", LOCATION_FUNC, NULL, "operator<<", NULL, 0, 0, 0},
	{"A::operator!", LOCATION_FUNC, NULL, "A::operator!", NULL, 0, 0, 0},
	{"A::operator!=", LOCATION_FUNC, NULL, "A::operator!=", NULL, 0, 0, 0},
	{"A::operator%", LOCATION_FUNC, NULL, "A::operator%", NULL, 0, 0, 0},
	{"A::operator%=", LOCATION_FUNC, NULL, "A::operator%=", NULL, 0, 0, 0},
	{"operator/", LOCATION_FUNC, NULL, "operator/", NULL, 0, 0, 0},
	{"operator()", LOCATION_FUNC, NULL, "operator()", NULL, 0, 0, 0},
	{"operator new[]", LOCATION_FUNC, NULL, "operator new[]", NULL, 0, 0, 0},
	{"f(int, char)", LOCATION_FUNC, NULL, "f(int, char)", NULL, 0, 0, 0},
	{"(anonymous namespace)::f", LOCATION_FUNC, NULL, "(anonymous namespace)::f", NULL, 0, 0,
	 0},
	{"<impl Foo>::bar", LOCATION_FUNC, NULL, "<impl Foo>::bar", NULL, 0, 0, 0},
	{"foo.part.0", LOCATION_FUNC, NULL, "foo.part.0", NULL, 0, 0, 0},
	{"worker:+3", LOCATION_OFFSET, NULL, "worker", NULL, 3, 0, 0},
	{"A::b:+0#2", LOCATION_OFFSET, NULL, "A::b", NULL, 0, 0, 2},
	{"worker%return", LOCATION_RETURN, NULL, "worker", NULL, 0, 0, 0},
	{"A::operator%%return", LOCATION_RETURN, NULL, "A::operator%", NULL, 0, 0, 0},
	{"libc.so.6!exit%return", LOCATION_RETURN, "libc.so.6", "exit", NULL, 0, 0, 0},
	{"worker%call(Queue::push)#2", LOCATION_CALL, NULL, "worker", "Queue::push", 0, 0, 2},
	{"x.so!f%call( main::{lambda()#1} )", LOCATION_CALL, "x.so", "f", "main::{lambda()#1}", 0,
	 0, 0},
	{"worker;x = 1", LOCATION_TEXT, NULL, "worker", "x = 1", 0, 0, 0},
	{"calc.c;a != b", LOCATION_TEXT, NULL, "calc.c", "a != b", 0, 0, 0},
	{"f;x[i] = *;#2", LOCATION_TEXT, NULL, "f", "x[i] = *;", 0, 0, 2},
	{"f;#define", LOCATION_TEXT, NULL, "f", "#define", 0, 0, 0},
	{"libfoo.so!f;g(a:7)", LOCATION_TEXT, "libfoo.so", "f", "g(a:7)", 0, 0, 0},
	{"//ready", LOCATION_MARK, NULL, NULL, "ready", 0, 0, 0},
	{"// ready ", LOCATION_MARK, NULL, NULL, "ready", 0, 0, 0},
	{"//ready!#2", LOCATION_MARK, NULL, NULL, "ready!", 0, 0, 2},
	{"libfoo.so!//ready", LOCATION_MARK, "libfoo.so", NULL, "ready", 0, 0, 0},
	{"*0x401136", LOCATION_ADDRESS, NULL, NULL, NULL, 0, 0x401136, 0},
	{"*0x401136:00c0ffee", LOCATION_ADDRESS, NULL, NULL, "00c0ffee", 0, 0x401136, 0},
	{"*0XfF", LOCATION_ADDRESS, NULL, NULL, NULL, 0, 0xff, 0},
	{"libfoo.so!*0x10", LOCATION_ADDRESS, "libfoo.so", NULL, NULL, 0, 0x10, 0},
	{"x(1).so!f", LOCATION_FUNC, "x(1).so", "f", NULL, 0, 0, 0},
	{"./x(1!=2.so.1.2!f;a != b", LOCATION_TEXT, "./x(1!=2.so.1.2", "f", "a != b", 0, 0, 0},
	{"x;y.so!calc.c:7", LOCATION_LINE, "x;y.so", "calc.c", NULL, 7, 0, 0},
	{"a<b*c#1.so!*0x10", LOCATION_ADDRESS, "a<b*c#1.so", NULL, NULL, 0, 0x10, 0},
	{"program (1)!main", LOCATION_FUNC, "program (1)", "main", NULL, 0, 0, 0},
	{"x(1).so!A::operator!=", LOCATION_FUNC, "x(1).so", "A::operator!=", NULL, 0, 0, 0},
	{"A<&B::operator!=>::f", LOCATION_FUNC, NULL, "A<&B::operator!=>::f", NULL, 0, 0, 0},
	{"A<(bool)!0>::f", LOCATION_FUNC, NULL, "A<(bool)!0>::f", NULL, 0, 0, 0},
	{"A<int>::operator!=;a != b", LOCATION_TEXT, NULL, "A<int>::operator!=", "a != b", 0, 0, 0},
	{"f;at(\"x.so!g\")", LOCATION_TEXT, NULL, "f", "at(\"x.so!g\")", 0, 0, 0},
};

static void same_string(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_true(!a && !b);
}

static void takes_all_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct location l;
		ERROR(err);

		print_message("%s\n", good[i].text);
		assert_int_equal(location_parse(good[i].text, &l, &err), 0);
		assert_int_equal(l.kind, good[i].kind);
		same_string(l.object, good[i].object);
		same_string(l.name, good[i].name);
		same_string(l.search, good[i].search);
		assert_int_equal(l.line, good[i].line);
		assert_int_equal(l.address, good[i].address);
		assert_int_equal(l.match, good[i].match);
		location_fini(&l);
	}
}

static const struct {
	const char *text;
	enum location_kind kind;
	const char *rest; /* of the statement: TEXT or MARK */
	unsigned line, match;
	enum location_part part;
} parts[] = {
	{"calc.c:7:read", LOCATION_LINE, NULL, 7, 0, LOCATION_READ},
	{"x.so!worker:+3:write", LOCATION_OFFSET, NULL, 3, 0, LOCATION_WRITE},
	{"worker;x += a ? b : c:write", LOCATION_TEXT, "x += a ? b : c", 0, 0, LOCATION_WRITE},
	{"worker;x++#2:read", LOCATION_TEXT, "x++", 0, 2, LOCATION_READ},
	{"//ready:read", LOCATION_MARK, "ready", 0, 0, LOCATION_READ},
	{"worker;std::read", LOCATION_TEXT, "std::read", 0, 0, LOCATION_WHOLE},
	{"io::write", LOCATION_FUNC, NULL, 0, 0, LOCATION_WHOLE},
};

static void takes_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct location l;
		ERROR(err);

		print_message("%s\n", parts[i].text);
		assert_int_equal(location_parse(parts[i].text, &l, &err), 0);
		assert_int_equal(l.kind, parts[i].kind);
		same_string(l.search, parts[i].rest);
		assert_int_equal(l.line, parts[i].line);
		assert_int_equal(l.match, parts[i].match);
		assert_int_equal(l.part, parts[i].part);
		location_fini(&l);
	}
}

/* The text, and a part of its error message. */
static const char *const bad[][2] = {
	{"", "empty"},
	{"   ", "empty"},
	{"calc.c", "a file needs a line"},
	{"src/calc", "a file needs a line"},
	{"calc.c:", "line number is missing"},
	{"calc.c:x", "line number is missing"},
	{"calc.c:0", "counted from 1"},
	{"calc.c:99999999999", "no file has so many lines"},
	{"calc.c:1:2", "one colon"},
	{":7", "file's name is missing"},
	{"calc.c:7x", "line number alone"},
	{"worker:+", "number of lines"},
	{"worker:+x", "number of lines"},
	{":+3", "function's name is missing"},
	{"worker%ret", "only 'return'"},
	{"worker%call", "only 'return' or 'call(FUNC)'"},
	{"worker%call()", "called function is missing"},
	{"worker%call(f", "closing parenthesis is missing"},
	{"%return", "function's name is missing"},
	{"worker;", "source text is missing"},
	{"worker; * ", "source text is missing"},
	{";text", "missing before the ;"},
	{"//", "name of a mark"},
	{"//a b", "ends at a blank"},
	{"*401136", "*0x"},
	{"*0x", "*0x"},
	{"*0x12q", "*0x"},
	{"*0x11112222333344445", "*0x"},
	{"!worker", "missing before the !"},
	{"libfoo.so!", "missing after the !"},
	{"worker#0", "counted from #1"},
	{"two words", "no blanks"},
	{"worker:read", "need a statement"},
	{"worker%return:write", "need a statement"},
	{"*0x401136:", "8 hexadecimal digits"},
	{"*0x401136:c0ffee", "8 hexadecimal digits"},
	{"*0x401136:00C0FFEE", "8 hexadecimal digits"},
	{"*0x401136:read", "need a statement"},
};

static void refuses_with_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct location l;
		ERROR(err);

		print_message("%s\n", bad[i][0]);
		assert_int_equal(location_parse(bad[i][0], &l, &err), -1);
		assert_int_equal(err.code, ERROR_LOCATION);
		assert_non_null(strstr(err.text, bad[i][1]));
		assert_non_null(strstr(err.hint, "FILE:LINE"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_all_forms),
		cmocka_unit_test(takes_parts),
		cmocka_unit_test(refuses_with_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
