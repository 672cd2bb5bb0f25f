/* Ends the process from any place: out of memory, or a mapped file has become shorter (SIGBUS). */
#ifndef GATECTL_BASE_LEAVE_H
#define GATECTL_BASE_LEAVE_H

/*
 * Sets the function to call before leave_now() ends the process, such as detaching from a traced
 * process; NULL for none. Called once at most, possibly in a signal handler on another stack, and
 * it may call leave_now() itself.
 */
void leave_ask(void (*what)(void *ctx), void *ctx);

/* Calls that function and ends the process with this status by _exit(2). Frees and
   flushes nothing else. */
_Noreturn void leave_now(int status);

#endif
