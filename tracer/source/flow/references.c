/* Searches a module for references to addresses, several places at once: 100 MB of code take about
   the time of reading them. */
#include "tracer/source/flow/flow_internal.h"

#include "tracer/elf/module.h"

#include <string.h>

enum { LANES = 4, ROUND = LANES * sizeof(int32_t), PIECE = 4096, PAGES = 256 * PIECE };
typedef int32_t lanes __attribute__((vector_size(ROUND)));
typedef uint32_t unsigned_lanes __attribute__((vector_size(ROUND)));

/* A reference is four bytes whose value plus a base is the distance from addresses[0]. The base of
   a relative reference grows with its place: growth is 1, or 0 for absolute ones. */
struct sought {
	uint32_t base, growth;
	uint32_t size; /* distances below this are compared; modulo 2^32, as modules are smaller */
	const uint64_t *addresses; /* sorted; distances are from the first one */
	size_t count;
};

static bool is_one(const struct sought *m, uint32_t distance)
{
	for (size_t i = 0; distance < m->size && i < m->count; i++)
		if (distance == m->addresses[i] - m->addresses[0])
			return true;
	return false;
}

static bool any(const lanes *hits)
{
	uint64_t halves[2];

	memcpy(halves, hits, sizeof(halves));
	return halves[0] | halves[1];
}

/* Returns the lanes whose four bytes plus `base` are less than `below`. Both are shifted by 2^31,
   because processors compare signed numbers. */
static lanes is_below(const uint8_t *bytes, unsigned_lanes base, lanes below)
{
	unsigned_lanes value;

	memcpy(&value, bytes, sizeof(value));
	return (lanes)(value + base) < below;
}

/* True if four bytes that begin in this block may be a reference. The whole block is searched with
   one base, so that hardly any block is searched byte by byte. */
static bool come_near(const uint8_t *bytes, const struct sought *m)
{
	const uint32_t shift = PIECE * m->growth + (1u << 31);
	unsigned_lanes base = (unsigned_lanes){0} + m->base + shift;
	lanes below = (lanes)((unsigned_lanes){0} + m->size + shift), hits = {0};

	for (size_t i = 0; i < PIECE; i += ROUND, bytes += ROUND)
		hits |= is_below(bytes, base, below) | is_below(bytes + 1, base, below) |
			is_below(bytes + 2, base, below) | is_below(bytes + 3, base, below);
	return any(&hits);
}

static bool lead_there(const uint8_t *bytes, size_t n, const struct sought *m)
{
	uint32_t value;

	for (size_t i = 0; i + sizeof(value) <= n; i++) {
		memcpy(&value, bytes + i, sizeof(value));
		if (is_one(m, value + m->base + (uint32_t)i * m->growth))
			return true;
	}
	return false;
}

static bool code_leads_there(const uint8_t *bytes, size_t n, struct sought m)
{
	enum { OVERLAP = sizeof(uint32_t) - 1 };
	struct pass pass = {bytes};

	for (size_t i = 0; i < n; i += PIECE, m.base += PIECE * m.growth) {
		size_t left = n - i;

		if ((left < PIECE + OVERLAP || come_near(bytes + i, &m)) &&
		    lead_there(bytes + i, left < PIECE + OVERLAP ? left : PIECE + OVERLAP, &m))
			return true;
		pass_to(&pass, bytes + i);
	}
	return false;
}

/* True if a word of data is one of the addresses. This includes relocated pointers: the relocation
   table has their values. */
static bool data_leads_there(const uint8_t *bytes, size_t n, const struct sought *m)
{
	struct pass pass = {bytes};
	uint64_t word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (word - m->addresses[0] < m->size && is_one(m, (uint32_t)word + m->base))
			return true;
		if (i % PAGES == 0)
			pass_to(&pass, bytes + i);
	}
	return false;
}

static bool segment_leads_there(const struct module *m, const Elf64_Phdr *p, struct sought address)
{
	const uint8_t *bytes = m->image + p->p_offset;
	uint64_t n = p->p_filesz, skip = -p->p_vaddr % sizeof(uint64_t);
	struct sought distance = address;

	if (p->p_offset > m->size || n > m->size - p->p_offset)
		return true; /* truncated file: unknown */
	distance.base += (uint32_t)(p->p_vaddr + sizeof(uint32_t));
	distance.growth = 1;
	if (p->p_flags & PF_X)
		return code_leads_there(bytes, n, distance) ||
		       (!m->pie && code_leads_there(bytes, n, address));
	return n > skip && data_leads_there(bytes + skip, n - skip, &address);
}

bool references_to(const struct module *m, const uint64_t *addresses, size_t count)
{
	struct sought address = {.base = (uint32_t)-addresses[0],
				 .size = (uint32_t)(addresses[count - 1] - addresses[0] + 1),
				 .addresses = addresses,
				 .count = count};

	array_each(const Elf64_Phdr, p, &m->segments)
		if (segment_leads_there(m, p, address))
			return true;
	return false;
}
