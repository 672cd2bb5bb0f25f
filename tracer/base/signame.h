/* Names of signals without SIG: "SEGV"; real-time signals as in kill -l: "RTMIN+3", "RTMAX-2". */
#ifndef GATECTL_BASE_SIGNAME_H
#define GATECTL_BASE_SIGNAME_H

/* Returns the name, "?" if there is no such signal. Never NULL. The string is static. */
const char *signame_text(int signal);
/* Returns the number of the named signal, or 0. */
int signame_number(const char *name);

#endif
