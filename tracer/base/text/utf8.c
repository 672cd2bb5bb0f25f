/* Decodes UTF-8. */
#include "tracer/base/text/utf8.h"

int utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	int length = p[0] < 0x80		   ? 1
		     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		     : (p[0] & 0xf0) == 0xe0	   ? 3
		     : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						   : 0;

	for (int i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

size_t utf8_cut(const char *text, size_t most)
{
	while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

uint32_t utf8_code(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code = length == 1 ? p[0] : p[0] & (0x7fU >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (p[i] & 0x3fU);
	return code;
}
