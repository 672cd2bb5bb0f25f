/*
 * One pass over a section of several hundred megabytes gives the pages behind it back, so that
 * the section is never in memory as a whole. The pages belong to a mapped file: reading them
 * again gives the same bytes.
 */
#ifndef GATECTL_ELF_MAPPED_H
#define GATECTL_ELF_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pass {
	const uint8_t *from; /* not given back yet */
};

/* The pass has come to `at`. True where it gave something back: not more often than every few
   megabytes. */
bool pass_to(struct pass *p, const uint8_t *at);

/* Gives all pages back that hold these bytes, if they are a mapped file's; others are left alone. */
void pass_over(const uint8_t *bytes, size_t size);

/* memmem() as a pass: from `at` up to `end`. */
const uint8_t *pass_find(struct pass *p, const uint8_t *at, const uint8_t *end, const void *what,
			 size_t length);

#endif
