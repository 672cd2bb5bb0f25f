/*
 * Why the system does not permit tracing, and what to do about it. Facts are looked up separately
 * from their meaning, a pure function, because one machine has few of them.
 */
#ifndef GATECTL_TRACEE_ATTACH_REFUSAL_H
#define GATECTL_TRACEE_ATTACH_REFUSAL_H

#include "tracer/tracee/attach/attach.h"

enum refusal_place {
	REFUSAL_PLAIN, /* no known container */
	REFUSAL_DOCKER,
	REFUSAL_PODMAN,
	REFUSAL_KUBERNETES,
};

enum { REFUSAL_KILLED = -1 };

struct refusal_facts {
	int number;	      /* errno of ptrace, or REFUSAL_KILLED: a caller gets SIGSYS */
	long tracer;	      /* process that traces the program already; 0: none */
	char tracer_name[32]; /* its command */
	int yama;	      /* kernel.yama.ptrace_scope; 0 without Yama */
	bool capable;	      /* gatectl has CAP_SYS_PTRACE */
	bool filtered;	      /* a seccomp filter applies to gatectl */
	bool hidden;	      /* gatectl itself is not dumpable, and so its children are not */
	bool deny_ptrace;     /* the SELinux boolean of that name */
	char profile[64];     /* AppArmor profile that confines gatectl, or empty */
	enum refusal_place place;
	bool running;	/* the program was already running: no child of gatectl */
	char owner[32]; /* owner of the process, if another user; or empty */
};

/* Sets ERROR_CANNOT_TRACE with text and hint from the facts. Returns -1. */
int refusal_set(const struct refusal_facts *f, struct error *err);

/* Explains why PTRACE_SEIZE of gatectl's child `pid` has failed with this errno.
   Returns -1 with *err set. */
int refusal_of_seize(pid_t pid, int number, struct error *err);

/* Explains why PTRACE_SEIZE of a running process has failed with this errno.
   Returns -1 with *err set. */
int refusal_of_attach(pid_t pid, int number, struct error *err);

/* Checks before a start that /proc is usable and that ptrace does not kill.
   Returns 0, or -1 with *err set. */
int refusal_before(struct error *err);

/* Refuses a program just exec'ed from which the kernel withholds rights.
   Returns 0, or -1 with *err set. */
int refusal_unprivileged(const struct tracee_process *p, const char *name, struct error *err);
/* Refuses a program just exec'ed whose memory cannot be read. Returns 0, or -1 with *err set. */
int refusal_unreadable(const struct tracee_process *p, const char *name, struct error *err);

#endif
