/* Expressions: this program evaluates them on itself and compares with C. */
#include "symbols_eval.h"

/* ---- the same as C -------------------------------------------------------------------------- */

static void check(struct place *p, const char *expression, const void *expected, size_t size,
		  bool is_float)
{
	struct inspect_value v = value_of(p, expression);
	uint8_t bytes[16] = {0};
	ERROR(err);

	if (v.type->kind == TYPE_BOOL && size == sizeof(int))
		size = 1; /* C's comparisons are int, an expression's are bool */
	if (v.type->size != size || (v.type->kind == TYPE_FLOAT) != is_float)
		fail_msg("%s: %zu bytes, not %zu", expression, (size_t)v.type->size, size);
	if (is_float && size == 16)
		size = 10;
	if (value_read(&v, 0, bytes, size, &err) < 0)
		fail_msg("%s: %s", expression, err.text);
	if (memcmp(bytes, expected, size) != 0)
		fail_msg("%s: 0x%llx, not 0x%llx", expression, *(unsigned long long *)bytes,
			 *(const unsigned long long *)expected);
}

/* Compares an expression with its value in C. */
#define CHECK(e)                                                                                   \
	do {                                                                                       \
		const __typeof__(e) c_ = (e);                                                      \
		check(p, #e, &c_, sizeof(c_),                                                      \
		      _Generic((e), float                                                          \
			       : true, double                                                      \
			       : true, long double                                                 \
			       : true, default                                                     \
			       : false));                                                          \
	} while (0)

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wmultichar"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wpointer-to-int-cast"
#endif

static void constants(void **state)
{
	struct place *p = *state;

	take_place(p, "constants");
	CHECK(0);
	CHECK(42);
	CHECK(2147483647);
	CHECK(2147483648);
	CHECK(0xffffffff);
	CHECK(0x7fffffff);
	CHECK(0x100000000);
	CHECK(0xffffffffffffffff);
	CHECK(017);
	CHECK(037777777777);
	CHECK(0b101);
	CHECK(1u);
	CHECK(1l);
	CHECK(1UL);
	CHECK(1ll);
	CHECK(4294967296u);
	CHECK(1.5);
	CHECK(.5);
	CHECK(1e3);
	CHECK(1.5e-3f);
	CHECK(0x1.8p3);
	CHECK(2.5L);
	CHECK(0xef);
	CHECK('a');
	CHECK('\n');
	CHECK('\0');
	CHECK('\x41');
	CHECK('\377');
	CHECK('\\');
	CHECK('\'');
	CHECK('"');
	CHECK('ab');
	CHECK(L'x');
	CHECK(sizeof("abc"));
	CHECK(sizeof("a"
		     "\x41\n"));
	assert_int_equal(value_of(p, "1'000'000").bytes[2], 1000000 >> 16);
	assert_int_equal(value_of(p, "true").bytes[0], 1);
}

static void integers(void **state)
{
	struct place *p = *state;

	take_place(p, "integers");
	CHECK(i + j * 2 - 1);
	CHECK((i + j) * 2);
	CHECK(i / j);
	CHECK(i % j);
	CHECK(-i % j);
	CHECK(i / -j);
	CHECK(u + u);
	CHECK(u * u);
	CHECK(i + u);
	CHECK(l + u);
	CHECK(l * j);
	CHECK(ul * ul);
	CHECK(ul + i);
	CHECK(l / i);
	CHECK(ul / 3);
	CHECK(ul % 1000);
	CHECK(huge + 1);
	CHECK(-huge);
	CHECK(-u);
	CHECK(+byte);
	CHECK(-byte);
	CHECK(~byte);
	CHECK(~ul);
	CHECK(!i);
	CHECK(!zero);
	CHECK(byte + byte);
	CHECK(byte * wide);
	CHECK(small - byte);
	CHECK(narrow * wide);
	CHECK(yes + yes);
	CHECK(-no);
	CHECK(letters[0] + 1);
	CHECK(giant + 1);
	CHECK(giant / 3);
	CHECK(-giant % 1000);
	CHECK(giant >> 90);
	CHECK(word + 1);
	CHECK(now + 1);
	CHECK(i & 0xff);
	CHECK(i | 8);
	CHECK(i ^ u);
	CHECK(ul & l);
	CHECK(i >> 1);
	CHECK(u >> 31);
	CHECK(one << 31);
	CHECK(1 << 30);
	CHECK(1L << 40);
	CHECK(ul >> 60);
	CHECK(ul << 4);
	CHECK(byte << 8);
	CHECK(l >> 3);
}

static void floats(void **state)
{
	struct place *p = *state;

	take_place(p, "floats");
	CHECK(f + f);
	CHECK(f * third);
	CHECK(third * 3);
	CHECK(f / third);
	CHECK(f + d);
	CHECK(tenth + 0.2);
	CHECK(tenth * 3);
	CHECK(d * d - 1);
	CHECK(-d);
	CHECK(d / 3);
	CHECK(ld * 3);
	CHECK(ld + tenth);
	CHECK(i + f);
	CHECK(ul + d);
	CHECK(ul * third);
	CHECK(l / 2.0);
	CHECK(d < 0);
	CHECK(d == -2.25);
	CHECK(f != 1.5f);
	CHECK(third == 1.0 / 3);
	CHECK(!d);
	CHECK(d && f);
	CHECK(i < d);
}

static void comparisons(void **state)
{
	struct place *p = *state;

	take_place(p, "comparisons");
	CHECK(i < j);
	CHECK(i < u);
	CHECK(l < u);
	CHECK(i > ul);
	CHECK(small == -5);
	CHECK(byte == 200);
	CHECK(huge == -1);
	CHECK(u <= 4000000000u);
	CHECK(j >= 3);
	CHECK(j != 3);
	CHECK(i == -7 && j == 3);
	CHECK(i == 0 || j == 0);
	CHECK(zero && 1 / zero);
	CHECK(1 || 1 / zero);
	CHECK(zero ? 1 / zero : 4);
	CHECK(i ? j : u);
	CHECK((i, j));
	CHECK((i < j) + 1 < 2);
	CHECK(i & 1 == 1);
	CHECK(1 | 2 ^ 3 & 4);
	CHECK(1 + 2 << 3 - 1);
	CHECK(now == STATE_BUSY);
	CHECK(lost == STATE_LOST);
	CHECK(lost < STATE_IDLE);
	CHECK(!yes == no);
	CHECK(zero ? 1 : zero ? 2 : 3);
}

static void casts(void **state)
{
	struct place *p = *state;

	take_place(p, "casts");
	CHECK((unsigned char)i);
	CHECK((signed char)byte);
	CHECK((char)300);
	CHECK((unsigned)i);
	CHECK((long)u);
	CHECK((unsigned long)i);
	CHECK((short)ul);
	CHECK((int)d);
	CHECK((unsigned char)f);
	CHECK((float)tenth);
	CHECK((double)third);
	CHECK((float)ul);
	CHECK((long double)l);
	CHECK((_Bool)256);
	CHECK((_Bool)0.5);
	CHECK((__int128)l);
	CHECK((word_t)i);
	CHECK((word_t)-1);
	CHECK((j)-1);
	CHECK((zero)*2);
	CHECK((uint8_t)-1);
	CHECK((int64_t)i);
	CHECK((enum state)5);
	CHECK((void *)0);
	CHECK((struct node *)&second);
	CHECK(((struct node *)(void *)&second)->value);
	CHECK(*(int *)&eval_queue.whole);
	CHECK(*(unsigned char *)&d);
	CHECK(((unsigned char *)&d)[7]);
	CHECK((const volatile unsigned long int)i);
	CHECK(-(int)byte);
	CHECK((unsigned long)&first == (unsigned long)eval_queue.head);
	CHECK(sizeof(int));
	CHECK(sizeof(struct queue));
	CHECK(sizeof(struct node *));
	CHECK(sizeof(word_t));
	CHECK(sizeof(unsigned long long[3]));
	CHECK(sizeof numbers / sizeof numbers[0]);
	CHECK(sizeof(numbers) - 1);
	CHECK(sizeof first);
	CHECK(sizeof(first.name));
	CHECK(sizeof byte);
	CHECK(sizeof(byte + 1));
	CHECK(sizeof &first);
	CHECK(sizeof(*eval_queue.head));
}

static void pointers(void **state)
{
	struct place *p = *state;

	take_place(p, "pointers");
	CHECK(eval_queue.head);
	CHECK(eval_queue.head->value);
	CHECK(eval_queue.head->next->value);
	CHECK((*eval_queue.head).next);
	CHECK((&eval_queue)->count);
	CHECK(eval_queue.tail == &second);
	CHECK(eval_queue.head->next == eval_queue.tail);
	CHECK(eval_queue.tail->next == 0);
	CHECK(eval_queue.tail->next == null);
	CHECK(!eval_queue.tail->next);
	CHECK(eval_queue.head && eval_queue.head->value == 7);
	CHECK(eval_queue.hidden);
	CHECK(eval_queue.whole);
	CHECK(eval_queue.part[1]);
	CHECK(numbers[2]);
	CHECK(2 [numbers]);
	CHECK(*numbers);
	CHECK(*(numbers + 3));
	CHECK(&numbers[1]);
	CHECK(numbers + 1);
	CHECK(&numbers[3] - numbers);
	CHECK(numbers - &numbers[3]);
	CHECK(&numbers[3] - 2);
	CHECK((char *)&numbers[3] - (char *)numbers);
	CHECK(grid[1][2]);
	CHECK(*grid[1]);
	CHECK(**grid);
	CHECK(*(grid[0] + 2));
	CHECK((&grid[1])[0][1]);
	CHECK(&numbers[0] < &numbers[1]);
	CHECK(&first.value);
	CHECK(&eval_queue.head->next);
	CHECK(&*eval_queue.head);
	CHECK(*&i);
	CHECK(text[1]);
	CHECK(*text);
	CHECK(text + 1);
	CHECK(first.name[2]);
	CHECK(pairs[1].b);
	CHECK((pairs + 2)->a);
	CHECK(&pairs[2] - pairs);
	CHECK(first.flag + 0);
	CHECK(first.delta + second.delta);
	CHECK(second.flag == 5);
	CHECK(-second.delta);
	CHECK(second.flag - 6);
	CHECK(eval_queue.compare == compare);
	CHECK(eval_queue.compare == &compare);
	CHECK(eval_queue.compare != 0);
	CHECK(*eval_queue.compare == compare);
}

/* ---- locals ---- */

/* Locals of the innermost block of the function. */
__attribute__((noinline)) static void locals(void **state)
{
	struct place *p = *state;
	volatile int local = 5;
	enum inside { INSIDE_ONE = 11 };
	volatile enum inside e = INSIDE_ONE;

	take_place(p, "locals");
	CHECK(local * 2);
	assert_int_equal(number_of(p, "e == INSIDE_ONE"), 1);
	{
		volatile long local = 100;

		take_place(p, "locals");
		CHECK(local + 0);
		assert_int_equal(e, 11);
	}
	take_place(p, "locals");
	CHECK(i + local);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants), cmocka_unit_test(integers),
		cmocka_unit_test(floats),    cmocka_unit_test(comparisons),
		cmocka_unit_test(casts),     cmocka_unit_test(pointers),
		cmocka_unit_test(locals),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
