/* SPDX-License-Identifier: MIT */
/* A kernel for programs of the driver API: twice(values) doubles an int in each
 * thread. */
#pragma once

static const char twice_ptx[] = ".version 6.4\n"
				".target sm_75\n"
				".address_size 64\n"
				".visible .entry twice(.param .u64 values)\n"
				"{\n"
				".reg .b32 %r<6>;\n"
				".reg .b64 %rd<5>;\n"
				"ld.param.u64 %rd1, [values];\n"
				"cvta.to.global.u64 %rd2, %rd1;\n"
				"mov.u32 %r1, %ctaid.x;\n"
				"mov.u32 %r2, %ntid.x;\n"
				"mov.u32 %r3, %tid.x;\n"
				"mad.lo.s32 %r4, %r1, %r2, %r3;\n"
				"mul.wide.s32 %rd3, %r4, 4;\n"
				"add.s64 %rd4, %rd2, %rd3;\n"
				"ld.global.u32 %r5, [%rd4];\n"
				"add.s32 %r5, %r5, %r5;\n"
				"st.global.u32 [%rd4], %r5;\n"
				"ret;\n"
				"}\n";
