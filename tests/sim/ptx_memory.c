/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomics. Device memory is memory of this process. */
#include "tests/sim/ptx_warp.h"

static void addresses(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		      bool shared, uintptr_t at[LANES])
{
	uintptr_t base = (uintptr_t)insn->offset;

	if (shared)
		base += (uintptr_t)warp->block->shared;
	if (insn->src_bytes == 4)
		EACH_LANE(at[l] = base + SLOT(u32, insn->src[0])[l]);
	else
		EACH_LANE(at[l] = base + SLOT(u64, insn->src[0])[l]);
}

#define AT(type) (*(const lane_##type *)at[l])

/* Integers are extended to the register's width. */
#define LOAD(T, type)                                                          \
	case XS_PTX_##T:                                                       \
		if (insn->dst_bytes == 2)                                      \
			EACH_LANE(SLOT(u16, insn->dst)[l] =                    \
				      (uint16_t)AT(type));                     \
		else if (insn->dst_bytes == 4)                                 \
			EACH_LANE(SLOT(u32, insn->dst)[l] =                    \
				      (uint32_t)AT(type));                     \
		else                                                           \
			EACH_LANE(SLOT(u64, insn->dst)[l] =                    \
				      (uint64_t)AT(type));                     \
		break;

static void load(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		 const uintptr_t at[LANES])
{
	switch (insn->type) {
		LOAD(U8, u8)
		LOAD(S8, s8)
		LOAD(U16, u16)
		LOAD(S16, s16)
		LOAD(U32, u32)
		LOAD(S32, s32)
		LOAD(F32, u32)
	default:
		EACH_LANE(SLOT(u64, insn->dst)[l] = AT(u64));
		break;
	}
}

static void store_byte(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		       const uintptr_t at[LANES])
{
	const uint8_t *values = SLOT(u8, insn->src[1]);

	EACH_LANE(*(uint8_t *)at[l] = values[(size_t)l * insn->dst_bytes]);
}

static void store(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		  const uintptr_t at[LANES])
{
	const int32_t from = insn->src[1];

	switch (insn->type) {
	case XS_PTX_U8:
	case XS_PTX_S8:
		store_byte(warp, insn, at);
		break;
	case XS_PTX_U16:
	case XS_PTX_S16:
		EACH_LANE(*(lane_u16 *)at[l] = SLOT(u16, from)[l]);
		break;
	case XS_PTX_U32:
	case XS_PTX_S32:
	case XS_PTX_F32:
		EACH_LANE(*(lane_u32 *)at[l] = SLOT(u32, from)[l]);
		break;
	default:
		EACH_LANE(*(lane_u64 *)at[l] = SLOT(u64, from)[l]);
		break;
	}
}

/* Lanes one after the other: a device's kernels run on one thread. */
#define ATOMIC(T, type)                                                        \
	case XS_PTX_##T:                                                       \
		EACH_LANE(lane_##type *to = (lane_##type *)at[l];              \
			  lane_##type old = *to;                               \
			  lane_##type with = SLOT(type, insn->src[1])[l];      \
			  *to = insn->sub == XS_PTX_ATOM_ADD                   \
				    ? (lane_##type)(old + with)                \
				: insn->sub == XS_PTX_ATOM_MIN                 \
				    ? (old < with ? old : with)                \
				: insn->sub == XS_PTX_ATOM_MAX                 \
				    ? (old > with ? old : with)                \
				    : with;                                    \
			  if (insn->dst >= 0) SLOT(type, insn->dst)[l] = old); \
		break;

static void atomic(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		   const uintptr_t at[LANES])
{
	switch (insn->type) {
		ATOMIC(U32, u32)
		ATOMIC(S32, s32)
		ATOMIC(U64, u64)
		ATOMIC(S64, s64)
		ATOMIC(F32, f32)
		ATOMIC(F64, f64)
	default:
		break;
	}
}

static uint64_t width(const struct xs_ptx_insn *insn)
{
	switch (insn->type) {
	case XS_PTX_U8:
	case XS_PTX_S8:
		return 1;
	case XS_PTX_U16:
	case XS_PTX_S16:
		return 2;
	case XS_PTX_U32:
	case XS_PTX_S32:
	case XS_PTX_F32:
		return 4;
	default:
		return 8;
	}
}

/* The parameter block is the same for all lanes. */
static void load_param(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	const char *param = warp->block->launch->args;
	uintptr_t at[LANES];

	EACH_LANE(at[l] = (uintptr_t)(param + insn->offset));
	load(warp, insn, at);
}

/* A device's warp has half as many lanes as ours. */
static void count(const struct xs_ptx_warp *warp,
		  const struct xs_ptx_insn *insn, const uintptr_t at[LANES])
{
	for (unsigned l = 0; l < LANES; l += XS_SIM_WARP_SIZE)
		xs_sim_count_access(warp->block->counts,
				    insn->code != XS_PTX_ld, at + l,
				    warp->mask + l, width(insn));
}

void xs_ptx_access(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	bool shared = insn->code == XS_PTX_atom ? insn->to_space
						: insn->sub == XS_PTX_SHARED;
	uintptr_t at[LANES];

	if (insn->code == XS_PTX_ld && insn->sub == XS_PTX_PARAM) {
		load_param(warp, insn);
		return;
	}
	addresses(warp, insn, shared, at);
	if (insn->code == XS_PTX_ld)
		load(warp, insn, at);
	else if (insn->code == XS_PTX_st)
		store(warp, insn, at);
	else
		atomic(warp, insn, at);
	if (!shared)
		warp->block->work.bytes += warp->active * width(insn);
	if (!shared && warp->block->counts)
		count(warp, insn, at);
}
