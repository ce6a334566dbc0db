/* SPDX-License-Identifier: MIT */
/* Shared by the two halves of the simulated CUPTI. */
#ifndef XS_SIM_CUPTI_H
#define XS_SIM_CUPTI_H

#include "tests/sim/core.h"

#include <cupti.h>

/* cupti_activity.c: what the device did; what the host called. */
void xs_cu_record(const struct xs_sim_record *record);
void xs_cu_api_record(const struct xs_sim_call *call);
/* cuptiFinalize: no kind is enabled, and nobody has buffers. */
void xs_cu_forget_records(void);
/* cupti_callback.c: into the subscriber. */
void xs_cu_call(struct xs_sim_call *call, bool leaving);
/* Puts both into the core; again does nothing. */
void xs_cu_attach(void);

#endif
