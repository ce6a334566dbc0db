/* SPDX-License-Identifier: MIT */
/* Arithmetic instructions. Integers wrap, like unsigned ones in C. */
#include "tests/sim/ptx_warp.h"

#include <math.h>

#define S(type, n) (SLOT(type, insn->src[n])[l])

/* One case of a switch on the instruction's type. */
#define CASE1(T, type, expression)                                             \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(lane_##type a = S(type, 0);                          \
			  SLOT(type, insn->dst)[l] =                           \
			      (lane_##type)(expression));                      \
		break;                                                         \
	}
#define CASE2(T, type, expression)                                             \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(                                                     \
		    lane_##type a = S(type, 0); lane_##type b = S(type, 1);    \
		    SLOT(type, insn->dst)[l] = (lane_##type)(expression));     \
		break;                                                         \
	}
#define CASE3(T, type, expression)                                             \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(                                                     \
		    lane_##type a = S(type, 0); lane_##type b = S(type, 1);    \
		    lane_##type c = S(type, 2);                                \
		    SLOT(type, insn->dst)[l] = (lane_##type)(expression));     \
		break;                                                         \
	}
/* For both signs, then for each one. */
#define WRAPPING(C, e)                                                         \
	C(U16, u16, e)                                                         \
	C(S16, u16, e)                                                         \
	C(U32, u32, e) C(S32, u32, e) C(U64, u64, e) C(S64, u64, e)
#define SIGNED(C, e)   C(S16, s16, e) C(S32, s32, e) C(S64, s64, e)
#define UNSIGNED(C, e) C(U16, u16, e) C(U32, u32, e) C(U64, u64, e)
#define FLOATING(C, e) C(F32, f32, e) C(F64, f64, e)
#define BITS(C, e)     UNSIGNED(C, e) C(PRED, u32, e)

#define COMPUTE(name, cases)                                                   \
	static void run_##name(struct xs_ptx_warp *warp,                       \
			       const struct xs_ptx_insn *insn)                 \
	{                                                                      \
		switch (insn->type) {                                          \
			cases default : break;                                 \
		}                                                              \
	}

COMPUTE(mov, BITS(CASE1, a) SIGNED(CASE1, a) FLOATING(CASE1, a))
COMPUTE(add, WRAPPING(CASE2, a + b) FLOATING(CASE2, a + b))
COMPUTE(sub, WRAPPING(CASE2, a - b) FLOATING(CASE2, a - b))
COMPUTE(mul,
	CASE2(U16, u16, (uint32_t)a *b) CASE2(S16, u16, (uint32_t)a *b)
	    CASE2(U32, u32, a *b) CASE2(S32, u32, a *b) CASE2(U64, u64, a *b)
		CASE2(S64, u64, a *b) FLOATING(CASE2, a *b))
COMPUTE(mulhi, CASE2(U32, u32, ((uint64_t)a * b) >> 32)
		   CASE2(S32, s32, ((int64_t)a * b) >> 32)
		       CASE2(U64, u64, ((unsigned __int128)a * b) >> 64)
			   CASE2(S64, s64, ((__int128)a * b) >> 64))
COMPUTE(mad, WRAPPING(CASE3, (lane_u64)a *b + c))
COMPUTE(madhi,
	CASE3(U32, u32, (((uint64_t)a * b) >> 32) + c)
	    CASE3(S32, s32, (uint32_t)(((int64_t)a * b) >> 32) + (uint32_t)c))
COMPUTE(fma, CASE3(F32, f32, fmaf(a, b, c)) CASE3(F64, f64, fma(a, b, c)))
COMPUTE(div, SIGNED(CASE2, b == 0    ? -1
			   : b == -1 ? (int64_t)(0 - (uint64_t)a)
				     : a / b)
		 UNSIGNED(CASE2, b == 0 ? ~(uint64_t)0 : a / b)
		     FLOATING(CASE2, a / b))
COMPUTE(rem,
	SIGNED(CASE2, b == 0	? a
		      : b == -1 ? 0
				: a % b) UNSIGNED(CASE2, b == 0 ? a : a % b))
COMPUTE(neg, WRAPPING(CASE1, 0u - (lane_u64)a) FLOATING(CASE1, -a))
COMPUTE(abs, SIGNED(CASE1, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
		 CASE1(F32, f32, fabsf(a)) CASE1(F64, f64, fabs(a)))
COMPUTE(min, SIGNED(CASE2, a < b ? a : b) UNSIGNED(CASE2, a < b ? a : b)
		 CASE2(F32, f32, fminf(a, b)) CASE2(F64, f64, fmin(a, b)))
COMPUTE(max, SIGNED(CASE2, a > b ? a : b) UNSIGNED(CASE2, a > b ? a : b)
		 CASE2(F32, f32, fmaxf(a, b)) CASE2(F64, f64, fmax(a, b)))
COMPUTE(and, BITS(CASE2, a &b) SIGNED(CASE2, a &b))
COMPUTE(or, BITS(CASE2, a | b) SIGNED(CASE2, a | b))
COMPUTE(xor, BITS(CASE2, a ^ b) SIGNED(CASE2, a ^ b))
COMPUTE(not, UNSIGNED(CASE1, ~a) SIGNED(CASE1, ~a) CASE1(PRED, u32, !a))
COMPUTE(sqrt, CASE1(F32, f32, sqrtf(a)) CASE1(F64, f64, sqrt(a)))
COMPUTE(rsqrt, CASE1(F32, f32, 1 / sqrtf(a)) CASE1(F64, f64, 1 / sqrt(a)))
COMPUTE(rcp, FLOATING(CASE1, 1 / a))
COMPUTE(ex2, CASE1(F32, f32, exp2f(a)))
COMPUTE(lg2, CASE1(F32, f32, log2f(a)))
COMPUTE(sin, CASE1(F32, f32, sinf(a)))
COMPUTE(cos, CASE1(F32, f32, cosf(a)))

/* The amount has 32 bits; shifting by the width or more shifts everything
 * out. */
#define SHIFT(T, type, width, shifted, out)                                    \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(lane_##type a = S(type, 0); uint32_t n = S(u32, 1);  \
			  SLOT(type, insn->dst)[l] =                           \
			      (lane_##type)(n < (width) ? (shifted) : (out))); \
		break;                                                         \
	}
COMPUTE(shl, SHIFT(U16, u16, 16, (uint32_t)a << n, 0)
		 SHIFT(U32, u32, 32, a << n, 0) SHIFT(U64, u64, 64, a << n, 0))
/* Negative numbers are filled with ones: shifts the complement. */
#define SHIFT_SIGNED(T, type, unsigned_type, width)                            \
	SHIFT(T, type, width,                                                  \
	      a < 0 ? ~((lane_##unsigned_type) ~a >> n)                        \
		    : (lane_##unsigned_type)a >> n,                            \
	      (lane_##unsigned_type)(a < 0 ? -1 : 0))
COMPUTE(shr,
	SHIFT(U16, u16, 16, a >> n, 0) SHIFT(U32, u32, 32, a >> n, 0)
	    SHIFT(U64, u64, 64, a >> n, 0) SHIFT_SIGNED(S16, s16, u16, 16)
		SHIFT_SIGNED(S32, s32, u32, 32) SHIFT_SIGNED(S64, s64, u64, 64))

/* Results twice as wide as the factors. */
#define WIDE(T, type, wide, result)                                            \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(SLOT(wide, insn->dst)[l] = (lane_##wide)(result));   \
		break;                                                         \
	}
COMPUTE(mulwide,
	WIDE(U16, u16, u32, (uint32_t)S(u16, 0) * S(u16, 1))
	    WIDE(S16, s16, s32, S(s16, 0) * S(s16, 1))
		WIDE(U32, u32, u64, (uint64_t)S(u32, 0) * S(u32, 1))
		    WIDE(S32, s32, s64, (int64_t)S(s32, 0) * S(s32, 1)))
COMPUTE(madwide,
	WIDE(U16, u16, u32, (uint32_t)S(u16, 0) * S(u16, 1) + S(u32, 2))
	    WIDE(S16, s16, u32, (uint32_t)(S(s16, 0) * S(s16, 1)) + S(u32, 2))
		WIDE(U32, u32, u64, (uint64_t)S(u32, 0) * S(u32, 1) + S(u64, 2))
		    WIDE(S32, s32, u64,
			 (uint64_t)((int64_t)S(s32, 0) * S(s32, 1)) +
			     S(u64, 2)))

#define SELECT(T, type, unused)                                                \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(SLOT(type, insn->dst)[l] =                           \
			      S(u32, 2) ? S(type, 0) : S(type, 1));            \
		break;                                                         \
	}
COMPUTE(selp, UNSIGNED(SELECT, ) SIGNED(SELECT, ) FLOATING(SELECT, ))

static void join_predicates(struct xs_ptx_warp *warp,
			    const struct xs_ptx_insn *insn,
			    const uint8_t truth[LANES])
{
	EACH_LANE(uint32_t t = truth[l]; uint32_t inverse = !t;
		  if (insn->join != XS_PTX_JOIN_NONE) {
			  uint32_t with = S(u32, 2);

			  t = insn->join == XS_PTX_JOIN_AND  ? t & with
			      : insn->join == XS_PTX_JOIN_OR ? t | with
							     : t ^ with;
			  inverse =
			      insn->join == XS_PTX_JOIN_AND  ? inverse & with
			      : insn->join == XS_PTX_JOIN_OR ? inverse | with
							     : inverse ^ with;
		  } SLOT(u32, insn->dst)[l] = t;
		  if (insn->dst2 >= 0) SLOT(u32, insn->dst2)[l] = inverse);
}

/* The unordered forms are true for NaN, too. */
#define COMPARE(C, type, expression)                                           \
	case XS_PTX_##C: {                                                     \
		EACH_LANE(lane_##type a = S(type, 0);                          \
			  lane_##type b = S(type, 1);                          \
			  truth[l] = (expression));                            \
		break;                                                         \
	}
#define COMPARES(T, type)                                                      \
	case XS_PTX_##T:                                                       \
		switch (insn->sub) {                                           \
			COMPARE(EQ, type, a == b)                              \
			COMPARE(NE, type, a<b || a> b)                         \
			COMPARE(LT, type, a < b)                               \
			COMPARE(LE, type, a <= b)                              \
			COMPARE(GT, type, a > b)                               \
			COMPARE(GE, type, a >= b)                              \
			COMPARE(EQU, type, !(a < b || a > b))                  \
			COMPARE(NEU, type, a != b)                             \
			COMPARE(LTU, type, !(a >= b))                          \
			COMPARE(LEU, type, !(a > b))                           \
			COMPARE(GTU, type, !(a <= b))                          \
			COMPARE(GEU, type, !(a < b))                           \
			COMPARE(NUM, type, a == a && b == b)                   \
			COMPARE(NAN, type, a != a || b != b)                   \
		}                                                              \
		break;

static void run_setp(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	uint8_t truth[LANES] = {0};

	switch (insn->type) {
		COMPARES(U16, u16)
		COMPARES(S16, s16)
		COMPARES(U32, u32)
		COMPARES(S32, s32)
		COMPARES(U64, u64)
		COMPARES(S64, s64)
		COMPARES(F32, f32)
		COMPARES(F64, f64)
	default:
		break;
	}
	join_predicates(warp, insn, truth);
}

static double rounded(double value, uint8_t round)
{
	switch (round) {
	case XS_PTX_RNI:
		return nearbyint(value);
	case XS_PTX_RZI:
		return trunc(value);
	case XS_PTX_RMI:
		return floor(value);
	case XS_PTX_RPI:
		return ceil(value);
	default:
		return value;
	}
}

/* Values out of range become the nearest one in range; NaN becomes 0. */
static int64_t clamped(double value, uint8_t type)
{
	static const double low[XS_PTX_TYPES] = {
	    [XS_PTX_S8] = INT8_MIN,
	    [XS_PTX_S16] = INT16_MIN,
	    [XS_PTX_S32] = INT32_MIN,
	    [XS_PTX_S64] = -0x1p63,
	};
	static const double high[XS_PTX_TYPES] = {
	    [XS_PTX_U8] = UINT8_MAX,   [XS_PTX_S8] = INT8_MAX,
	    [XS_PTX_U16] = UINT16_MAX, [XS_PTX_S16] = INT16_MAX,
	    [XS_PTX_U32] = UINT32_MAX, [XS_PTX_S32] = INT32_MAX,
	    [XS_PTX_U64] = 0x1p64,     [XS_PTX_S64] = 0x1p63,
	};

	if (isnan(value))
		return 0;
	if (value <= low[type])
		return type == XS_PTX_S64 ? INT64_MIN : (int64_t)low[type];
	if (value >= high[type])
		return type == XS_PTX_S64   ? INT64_MAX
		       : type == XS_PTX_U64 ? -1
					    : (int64_t)high[type];
	return value < 0x1p63 ? (int64_t)value : (int64_t)(uint64_t)value;
}

/* Conversions go through 64 bits: registers may be wider than the type that is
 * read from them or written to them. */
static void extend(struct xs_ptx_warp *warp, uint8_t to, int64_t values[LANES])
{
#define EXTEND(T, type)                                                        \
	case XS_PTX_##T: {                                                     \
		EACH_LANE(values[l] = (int64_t)(lane_##type)values[l]);        \
		break;                                                         \
	}
	switch (to) {
		EXTEND(U8, u8)
		EXTEND(S8, s8)
		EXTEND(U16, u16)
		EXTEND(S16, s16)
		EXTEND(U32, u32)
		EXTEND(S32, s32)
	default:
		break;
	}
#undef EXTEND
}

static void read_integers(struct xs_ptx_warp *warp,
			  const struct xs_ptx_insn *insn, int64_t values[LANES])
{
	if (insn->src_bytes == 2)
		EACH_LANE(values[l] = S(u16, 0));
	else if (insn->src_bytes == 4)
		EACH_LANE(values[l] = S(u32, 0));
	else
		EACH_LANE(values[l] = S(s64, 0));
	extend(warp, insn->type, values);
}

static void write_integers(struct xs_ptx_warp *warp,
			   const struct xs_ptx_insn *insn,
			   int64_t values[LANES])
{
	extend(warp, insn->to, values);
	if (insn->dst_bytes == 2)
		EACH_LANE(SLOT(u16, insn->dst)[l] = (uint16_t)values[l]);
	else if (insn->dst_bytes == 4)
		EACH_LANE(SLOT(u32, insn->dst)[l] = (uint32_t)values[l]);
	else
		EACH_LANE(SLOT(s64, insn->dst)[l] = values[l]);
}

static void convert_float(struct xs_ptx_warp *warp,
			  const struct xs_ptx_insn *insn)
{
	double values[LANES];
	int64_t integers[LANES] = {0};

	if (insn->type == XS_PTX_F32)
		EACH_LANE(values[l] = (double)S(f32, 0));
	else
		EACH_LANE(values[l] = S(f64, 0));
	if (insn->sub != XS_PTX_ROUND_NONE)
		EACH_LANE(values[l] = rounded(values[l], insn->sub));
	if (insn->to == XS_PTX_F32) {
		EACH_LANE(SLOT(f32, insn->dst)[l] = (float)values[l]);
	} else if (insn->to == XS_PTX_F64) {
		EACH_LANE(SLOT(f64, insn->dst)[l] = values[l]);
	} else {
		EACH_LANE(integers[l] = clamped(values[l], insn->to));
		write_integers(warp, insn, integers);
	}
}

static void run_cvt(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	int64_t values[LANES] = {0};
	bool large = insn->type == XS_PTX_U64; /* may exceed INT64_MAX */

	if (insn->type == XS_PTX_F32 || insn->type == XS_PTX_F64) {
		convert_float(warp, insn);
		return;
	}
	read_integers(warp, insn, values);
	if (insn->to == XS_PTX_F32)
		EACH_LANE(SLOT(f32, insn->dst)[l] =
			      large ? (float)(uint64_t)values[l]
				    : (float)values[l]);
	else if (insn->to == XS_PTX_F64)
		EACH_LANE(SLOT(f64, insn->dst)[l] =
			      large ? (double)(uint64_t)values[l]
				    : (double)values[l]);
	else
		write_integers(warp, insn, values);
}

void xs_ptx_compute(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
#define ROW(name, sources) [XS_PTX_##name] = run_##name,
	static void (*const run[])(struct xs_ptx_warp *,
				   const struct xs_ptx_insn *) = {
	    XS_PTX_ALU(ROW)};
#undef ROW

	run[insn->code](warp, insn);
}
