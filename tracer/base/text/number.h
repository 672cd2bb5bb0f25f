/* Decimal numbers in text. */
#ifndef GATECTL_BASE_TEXT_NUMBER_H
#define GATECTL_BASE_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number up to `most` that is all of the text: digits, no sign, no blank.
   Returns false if it is not. */
bool number_read(const char *text, uint64_t most, uint64_t *out);

#endif
