/*
 * Foreign text (foreign.h) in XML 1.0 and HTML: what is not plain, but for tabs and line ends, is
 * shown as \x1b. So is U+FFFE, which XML cannot hold.
 */
#ifndef GATECTL_BASE_TEXT_XML_H
#define GATECTL_BASE_TEXT_XML_H

#include "tracer/base/text/str.h"

void xml_text(struct str *out, const char *text); /* between tags */
void xml_attribute(struct str *out, const char *name,
		   const char *value); /*  name="value", a blank in front */

#endif
