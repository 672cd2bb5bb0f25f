/* Signal mask, ignored and caught sets as inherited: the tracer must have left no mark on them. */
// arrivals: 1
#include <stdio.h>
#include <string.h>

static void dump(const char *path)
{
	char line[256];
	FILE *f = fopen(path, "re");
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Sig", 3) && strncmp(line, "SigQ", 4))
			fputs(line, stdout);
	fclose(f);
}

int main(void)
{
	dump("/proc/self/status"); /* gate: here */
	dump("/proc/thread-self/status");
	return 0;
}
