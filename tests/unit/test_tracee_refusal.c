/* Why tracing is not permitted: reason and remedy for facts that no single machine has. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/tracee/attach/refusal.h"

struct refusal_case {
	struct refusal_facts facts;
	const char *text, *hint; /* required parts */
};

static const struct refusal_case cases[] = {
	{{.number = EPERM, .tracer = 12, .tracer_name = "gdb", .yama = 3, .filtered = true},
	 "another process already: 12 (gdb)",
	 "outside of that debugger"},
	{{.number = EPERM, .yama = 1, .filtered = true}, "seccomp", "--cap-add=SYS_PTRACE"},
	{{.number = EPERM, .yama = 2},
	 "ptrace_scope is 2",
	 "sudo sysctl kernel.yama.ptrace_scope=1"},
	{{.number = EPERM, .yama = 2, .place = REFUSAL_DOCKER}, "ptrace_scope is 2", "docker run"},
	{{.number = EPERM, .yama = 2, .capable = true, .filtered = true},
	 "seccomp",
	 "(docker, podman)"},
	{{.number = EPERM, .yama = 3, .capable = true}, "ptrace_scope is 3", "reboot"},
	{{.number = EPERM, .yama = 3, .place = REFUSAL_DOCKER}, "ptrace_scope is 3", "reboot"},
	{{.number = EPERM, .filtered = true, .place = REFUSAL_DOCKER},
	 "seccomp",
	 "docker run --cap-add=SYS_PTRACE --security-opt seccomp=unconfined"},
	{{.number = EPERM, .filtered = true, .place = REFUSAL_PODMAN}, "seccomp", "podman run"},
	{{.number = ENOSYS, .filtered = true, .place = REFUSAL_KUBERNETES},
	 "Function not implemented",
	 "securityContext: {capabilities: {add: [SYS_PTRACE]}"},
	{{.number = REFUSAL_KILLED, .filtered = true},
	 "kills the thread that calls it",
	 "seccomp=unconfined"},
	{{.number = ENOSYS}, "no ptrace", "kernel of Linux itself"},
	{{.number = EPERM, .hidden = true}, "gatectl itself", "mode 755"},
	{{.number = EACCES, .deny_ptrace = true}, "deny_ptrace", "setsebool deny_ptrace off"},
	{{.number = EACCES, .profile = "docker-default", .place = REFUSAL_DOCKER},
	 "AppArmor profile docker-default",
	 "apparmor=unconfined"},
	{{.number = EACCES, .profile = "usr.bin.x"}, "AppArmor profile usr.bin.x", "`ptrace,`"},
	{{.number = EPERM, .running = true, .owner = "www", .yama = 1},
	 "belongs to another user: www",
	 "sudo gatectl attach"},
	{{.number = EPERM, .running = true, .yama = 1},
	 "ptrace_scope is 1",
	 "sudo sysctl kernel.yama.ptrace_scope=0`, or run gatectl with sudo; or the program calls "
	 "prctl(PR_SET_PTRACER"},
	{{.number = EPERM, .running = true, .yama = 2, .place = REFUSAL_DOCKER},
	 "ptrace_scope is 2",
	 "on the host `sysctl kernel.yama.ptrace_scope=0`"},
	{{.number = EPERM, .running = true}, "may not be traced by you", "sudo"},
	{{.number = EPERM, .running = true, .owner = "www", .capable = true, .filtered = true},
	 "seccomp",
	 "(docker, podman)"},
	{{.number = EPERM, .yama = 1}, "Operation not permitted", "as root"},
	{{.number = EPERM}, "Operation not permitted", "as root"},
	{{.number = EPERM, .place = REFUSAL_DOCKER}, "Operation not permitted", "docker run"},
};

static void test_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct refusal_case *c = &cases[i];
		ERROR(err);

		assert_int_equal(refusal_set(&c->facts, &err), -1);
		assert_int_equal(err.code, ERROR_CANNOT_TRACE);
		if (!strstr(err.text, c->text) || !strstr(err.hint, c->hint))
			fail_msg("case %zu: %s\ntry: %s", i, err.text, err.hint);
	}
}

/* Tracing is permitted here, or the other tests could not run. */
static void test_here(void **state)
{
	ERROR(err);

	(void)state;
	assert_int_equal(refusal_before(&err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
