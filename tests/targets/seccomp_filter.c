/* A seccomp filter of the program's own: one call denied, one trapped to SIGSYS, the rest allowed. */
// arrivals: 10
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int steps, trapped;

static void on_sys(int sig)
{
	(void)sig;
	trapped++;
}

int main(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof code / sizeof *code, code};
	int denied = 0;
	signal(SIGSYS, on_sys);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 1;
	for (int i = 0; i < 10; i++) {
		denied += syscall(SYS_getpgid, 0) == -1 && errno == EDOM;
		syscall(SYS_getsid, 0);
		steps++; /* gate: here */
	}
	printf("denied %d trapped %d\n", denied, trapped);
	return 0;
}
