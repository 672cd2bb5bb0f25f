/*
 * What vars.c and vars.cc print of themselves. test_variables.py reads the lines K(EXPRESSION); of a
 * program: a gate script prints the same of hit.var at the last gate above, in the same form. In a
 * comment behind it, `lua: TEXT` and `gdb: TEXT` say how else it is spelt there.
 *
 *   I integer   U unsigned of 64 bits   B bool   F floating   E number and name of an enumerator
 *   S text   T the text that fills an array     P pointer               N null   D what a compiler may drop, and the value it has
 */
#include <stdio.h>

#define KEEP __attribute__((noinline))
#define ALWAYS static inline __attribute__((always_inline))

#define I(x) printf("%s = %lld\n", #x, (long long)(x))
#define U(x) printf("%s = 0x%llx\n", #x, (unsigned long long)(x))
#define B(x) printf("%s = %s\n", #x, (x) ? "true" : "false")
#define F(x) printf("%s = %.17g\n", #x, (double)(x))
#define E(x) printf("%s = %lld %s\n", #x, (long long)(x), enumerator((long long)(x), sizeof(x)))
#define S(x) printf("%s = \"%s\"\n", #x, x)
#define T(x) printf("%s = \"%.*s\"\n", #x, (int)sizeof(x), x)
#define P(x) printf("%s = 0x%llx\n", #x, (unsigned long long)(x))
#define N(x) printf("%s = %s\n", #x, (x) ? "not null" : "nil")
#define D(x, value) printf("%s = %lld\n", #x, (long long)(value))

static KEEP void gate(const char *name)
{
	printf("@%s\n", name);
	fflush(stdout);
}
