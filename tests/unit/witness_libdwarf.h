/*
 * libdwarf's interface of version 0.1 and later, also for the version before (20210528, in Debian
 * 12).
 */
#ifndef TESTS_WITNESS_LIBDWARF_H
#define TESTS_WITNESS_LIBDWARF_H

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

#include <stddef.h>
#include <stdint.h>

#ifdef DW_LIBDWARF_VERSION_MAJOR

enum { THEIR_UNSAID_IS_KNOWN = 0 };
typedef Dwarf_Unsigned their_unsigned;
typedef Dwarf_Block their_block;
typedef Dwarf_Small *their_bytes;

static inline int their_open(const char *path, Dwarf_Debug *out, Dwarf_Error *error)
{
	return dwarf_init_path(path, NULL, 0, DW_GROUPNUMBER_ANY, NULL, NULL, out, error);
}

static inline void their_close(Dwarf_Debug d)
{
	dwarf_finish(d);
}

static inline int64_t their_offset(const Dwarf_Regtable_Entry3 *r)
{
	return (int64_t)r->dw_offset;
}

static inline const uint8_t *their_code(const Dwarf_Regtable_Entry3 *r, size_t *size)
{
	*size = (size_t)r->dw_block.bl_len;
	return r->dw_block.bl_data;
}

#else

enum { THEIR_UNSAID_IS_KNOWN = 1 };
typedef Dwarf_Signed their_unsigned;
typedef Dwarf_Ptr their_block;
typedef Dwarf_Ptr their_bytes;

#define dwarf_dealloc_ranges	   dwarf_ranges_dealloc
#define dwarf_dealloc_loc_head_c   dwarf_loc_head_c_dealloc
#define dwarf_dealloc_fde_cie_list dwarf_fde_cie_list_dealloc

static inline int their_open(const char *path, Dwarf_Debug *out, Dwarf_Error *error)
{
	return dwarf_init_path(path, NULL, 0, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, out,
			       NULL, 0, NULL, error);
}

static inline void their_close(Dwarf_Debug d)
{
	Dwarf_Error error;

	dwarf_finish(d, &error);
}

static inline int64_t their_offset(const Dwarf_Regtable_Entry3 *r)
{
	return (int64_t)r->dw_offset_or_block_len;
}

static inline const uint8_t *their_code(const Dwarf_Regtable_Entry3 *r, size_t *size)
{
	*size = (size_t)r->dw_offset_or_block_len;
	return r->dw_block_ptr;
}

#endif
#endif
