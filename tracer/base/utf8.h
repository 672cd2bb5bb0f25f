/* UTF-8 (RFC 3629), for writers that have to pass on what a program's bytes are. */
#ifndef GATECTL_BASE_UTF8_H
#define GATECTL_BASE_UTF8_H

/* Length of the valid sequence at `p`, which ends with a NUL somewhere; 0: a stray byte. */
int utf8_length(const char *p);

#endif
