/* ck: a bitmap whose bits are set, reset and tested atomically. */
#include <ck_bitmap.h>
#include <stdlib.h>

struct subject {
	CK_BITMAP_INSTANCE(64) bits;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	CK_BITMAP_INIT(&o->bits, 64, false);
	return o;
}

int object_bts(struct subject *o, unsigned bit)
{
#ifdef PLANTED
	int old = CK_BITMAP_TEST(&o->bits, bit % 64);

	CK_BITMAP_SET(&o->bits, bit % 64);
	return old;
#else
	return CK_BITMAP_BTS(&o->bits, bit % 64);
#endif
}

void object_reset(struct subject *o, unsigned bit)
{
	CK_BITMAP_RESET(&o->bits, bit % 64);
}

int object_test(struct subject *o, unsigned bit)
{
	return CK_BITMAP_TEST(&o->bits, bit % 64);
}
