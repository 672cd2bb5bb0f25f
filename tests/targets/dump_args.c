/* Arguments and environment exactly as given: empty ones, blanks, dashes, newlines. */
// args: "two words" "" --help -g x.lua -- "a\nb" '*' --order
// arrivals: 1
#include <stdio.h>

extern char **environ;

int main(int argc, char **argv)
{
	printf("argc %d\n", argc); /* gate: here */
	for (int i = 1; i < argc; i++)
		printf("[%s]\n", argv[i]);
	for (char **e = environ; *e; e++)
		printf("{%s}\n", *e);
	return 0;
}
