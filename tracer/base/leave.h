/* An end from wherever it is: no memory is left, or a file that is mapped has become shorter. */
#ifndef GATECTL_BASE_LEAVE_H
#define GATECTL_BASE_LEAVE_H

/*
 * What has to be done then, for those who cannot be left as they are; it replaces what was asked for before, NULL:
 * nothing. It is called once at most, may be called from a signal handler of a fault outside of its own room, and may end
 * by the same call.
 */
void leave_ask(void (*what)(void *ctx), void *ctx);

/* Does it, and ends the process with this status. Nothing else is freed or written. */
_Noreturn void leave_now(int status);

#endif
