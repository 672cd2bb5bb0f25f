/* Blocked and ignored signals survive exec; handlers do not. Nothing of the tracer may mix in. */
// arrivals: 2
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void nothing(int sig)
{
	(void)sig;
}

static void dump(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");
	while (fgets(line, sizeof line, f)) /* the loop reads the masks only */
		if (!strncmp(line, "Sig", 3) && strncmp(line, "SigQ", 4))
			fputs(line, stdout);
	fclose(f);
	fflush(stdout); /* gate: here */
}

int main(int argc, char **argv)
{
	dump();
	if (argc > 1)
		return 0;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, nothing);
	execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 99;
}
