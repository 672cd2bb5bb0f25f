/*
 * Why a place does not permit tracing, and what to do about it. The facts are looked up here; what
 * they mean is a pure function of them, because few of them can be had on one machine.
 */
#ifndef GATECTL_TRACEE_ATTACH_REFUSAL_H
#define GATECTL_TRACEE_ATTACH_REFUSAL_H

#include "tracer/tracee/attach/attach.h"

enum refusal_place {
	REFUSAL_PLAIN, /* no container that is known */
	REFUSAL_DOCKER,
	REFUSAL_PODMAN,
	REFUSAL_KUBERNETES,
};

enum { REFUSAL_KILLED = -1 };

struct refusal_facts {
	int number;	      /* errno of ptrace, or REFUSAL_KILLED: who calls it gets SIGSYS */
	long tracer;	      /* of the program already; 0: nobody */
	char tracer_name[32]; /* its command */
	int yama;	      /* kernel.yama.ptrace_scope; 0 where there is no Yama */
	bool capable;	      /* gatectl has CAP_SYS_PTRACE */
	bool filtered;	      /* by seccomp */
	bool hidden;	      /* gatectl itself may not be looked at, and so its children neither */
	bool deny_ptrace;     /* the SELinux boolean of that name */
	char profile[64];     /* of AppArmor, that confines gatectl; or empty */
	enum refusal_place place;
	bool running;	/* the program ran already: it is no child of ours */
	char owner[32]; /* the user it belongs to, where that is not ours; or empty */
};

/* ERROR_CANNOT_TRACE with text and hint; returns -1. */
int refusal_set(const struct refusal_facts *f, struct error *err);

/* PTRACE_SEIZE of our child `pid` has failed with this errno. Returns -1. */
int refusal_of_seize(pid_t pid, int number, struct error *err);

/* The same of a process that ran already. */
int refusal_of_attach(pid_t pid, int number, struct error *err);

/* Before anything is started: -1 where /proc is not what it has to be, or ptrace would kill us. */
int refusal_before(struct error *err);

/* After exec, of the program `name`: -1 where it is not what it would be alone, or not readable. */
int refusal_unprivileged(const struct tracee_process *p, const char *name, struct error *err);
int refusal_unreadable(const struct tracee_process *p, const char *name, struct error *err);

#endif
