/* umask, resource limits, nice value, dumpable flag: all inherited as they were. */
// arrivals: 1
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

int main(void)
{
	printf("umask %o\n", umask(022)); /* gate: here */
	for (int i = 0; i < RLIMIT_NLIMITS; i++) {
		struct rlimit r;
		getrlimit((__rlimit_resource_t)i, &r);
		printf("limit %d %lx %lx\n", i, (unsigned long)r.rlim_cur,
		       (unsigned long)r.rlim_max);
	}
	printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
	printf("dumpable %d nnp %d\n", prctl(PR_GET_DUMPABLE),
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	printf("subreaper %d\n", ({
		       int s = -1;
		       prctl(PR_GET_CHILD_SUBREAPER, &s);
		       s;
	       }));
	return 0;
}
