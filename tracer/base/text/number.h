/* Numbers that somebody has written. */
#ifndef GATECTL_BASE_TEXT_NUMBER_H
#define GATECTL_BASE_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits and nothing else, neither a sign nor a space, for a number up to `most`. False: it is none. */
bool number_read(const char *text, uint64_t most, uint64_t *out);

#endif
