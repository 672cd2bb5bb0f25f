/* Signals by name, without SIG: "SEGV"; the real-time ones as kill -l calls them: "RTMIN+3", "RTMAX-2". */
#ifndef GATECTL_BASE_SIGNAME_H
#define GATECTL_BASE_SIGNAME_H

const char *signame_text(int signal); /* never NULL: "?" where there is no such signal */
int signame_number(const char *name); /* 0: none is called so */

#endif
