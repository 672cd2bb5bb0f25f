/*
 * XML 1.0 text. What XML cannot hold (control characters, stray bytes, U+FFFE) is written as a
 * tester would: \x1b.
 */
#ifndef GATECTL_BASE_XML_H
#define GATECTL_BASE_XML_H

#include "tracer/base/str.h"

void xml_text(struct str *out, const char *text); /* between tags */
void xml_attribute(struct str *out, const char *name,
		   const char *value); /*  name="value", a blank in front */

#endif
