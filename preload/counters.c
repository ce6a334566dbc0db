/* SPDX-License-Identifier: MIT */
#include "preload/counters.h"
#include "preload/config.h"
#include "preload/gpu.h"
#include "preload/intern.h"

#include <cupti_result.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#define COUNTED_LAUNCHES 3
#define MOST_CONTEXTS	 16

#define FUNCTIONS(F)                                                           \
	F(cuptiProfilerInitialize)                                             \
	F(cuptiProfilerGetCounterAvailability)                                 \
	F(cuptiDeviceGetChipName)                                              \
	F(cuptiProfilerHostInitialize)                                         \
	F(cuptiProfilerHostDeinitialize)                                       \
	F(cuptiProfilerHostConfigAddMetrics)                                   \
	F(cuptiProfilerHostGetConfigImageSize)                                 \
	F(cuptiProfilerHostGetConfigImage)                                     \
	F(cuptiProfilerHostGetNumOfPasses)                                     \
	F(cuptiProfilerHostEvaluateToGpuValues)                                \
	F(cuptiRangeProfilerEnable)                                            \
	F(cuptiRangeProfilerGetCounterDataSize)                                \
	F(cuptiRangeProfilerCounterDataImageInitialize)                        \
	F(cuptiRangeProfilerSetConfig)                                         \
	F(cuptiRangeProfilerStart)                                             \
	F(cuptiRangeProfilerStop)                                              \
	F(cuptiRangeProfilerDecodeData)                                        \
	F(cuptiRangeProfilerGetCounterDataInfo)                                \
	F(cuptiGetResultString)

#define POINTER(name) __typeof__(&name) name;
static struct {
	FUNCTIONS(POINTER)
} cupti;
#undef POINTER

#define ROW(name) {&cupti.name, #name},
static const struct {
	void *slot;
	const char *name;
} symbols[] = {FUNCTIONS(ROW)};

/*
 * Sectors are of 32 bytes, between the L1 of the SMs and the L2: what the
 * caches of the SM did not have. In the order of need: a GPU that cannot count
 * them all at once counts the first ones.
 */
enum metric {
	SECTORS_READ,
	SECTORS_WRITTEN,
	INSTRUCTIONS,
	REQUESTS_READ,
	REQUESTS_WRITTEN,
	HOST_SECTORS_READ,
	HOST_SECTORS_WRITTEN,
	METRICS
};
static const char *metric_names[METRICS] = {
    [SECTORS_READ] = "lts__t_sectors_srcunit_tex_op_read.sum",
    [SECTORS_WRITTEN] = "lts__t_sectors_srcunit_tex_op_write.sum",
    [INSTRUCTIONS] = "smsp__inst_executed.sum",
    [REQUESTS_READ] = "lts__t_requests_srcunit_tex_op_read.sum",
    [REQUESTS_WRITTEN] = "lts__t_requests_srcunit_tex_op_write.sum",
    [HOST_SECTORS_READ] =
	"lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum",
    [HOST_SECTORS_WRITTEN] =
	"lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum",
};
static const size_t metric_sets[] = {METRICS, HOST_SECTORS_READ, REQUESTS_READ,
				     INSTRUCTIONS};

struct image {
	uint8_t *bytes;
	size_t size;
};

/* What is set up once for each context. */
struct session {
	uint32_t context_id;
	bool usable;
	size_t metrics; /* the first ones of metric_names */
	CUpti_Profiler_Host_Object *host;
	CUpti_RangeProfiler_Object *profiler;
	struct image availability, config, data;
};

/* How often a kernel was tried; its bytes are the key, so no padding. */
struct kernel_key {
	uint64_t name;
	uint32_t grid[3], block[3];
};

static atomic_bool off = true;
/* A launch is being counted; who sets it owns what is below. */
static atomic_bool counting;
static struct session sessions[MOST_CONTEXTS];
static size_t session_count;
static struct session *current;
static struct xs_intern tries;
static uint32_t current_try;

static void stop_counting(const char *function, CUptiResult result)
{
	const char *text = NULL;

	atomic_store(&off, true);
	cupti.cuptiGetResultString(result, &text);
	xs_log("%s: %s (%d)", function, text ? text : "?", (int)result);
	if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
	    result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
		xs_gpu_info("note",
			    "kernels are not counted: this user may not read "
			    "the GPU's counters; ask the administrator to load "
			    "the driver with NVreg_RestrictProfilingToAdmin"
			    "Users=0, or run the program with CAP_SYS_ADMIN "
			    "(newer drivers: CAP_PERFMON)");
	else
		xs_gpu_info(
		    "note", "kernels are not counted: %s says %s (%d)",
		    function, text ? text : "unknown error", (int)result);
}

static bool succeeded(const char *function, CUptiResult result)
{
	if (result != CUPTI_SUCCESS)
		stop_counting(function, result);
	return result == CUPTI_SUCCESS;
}
#define CALL(function, params) succeeded(#function, cupti.function(params))

/* Not of the application's malloc. */
static bool take_image(struct image *image, size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return succeeded("mmap", CUPTI_ERROR_OUT_OF_MEMORY);
	image->bytes = bytes;
	image->size = size;
	return true;
}

static void drop_image(struct image *image)
{
	if (image->bytes)
		munmap(image->bytes, image->size);
	*image = (struct image){0};
}

static bool read_availability(const struct xs_launch *launch,
			      struct session *session)
{
	CUpti_Profiler_GetCounterAvailability_Params p = {
	    .structSize =
		CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
	    .ctx = launch->context};

	if (!CALL(cuptiProfilerGetCounterAvailability, &p) ||
	    !take_image(&session->availability, p.counterAvailabilityImageSize))
		return false;
	p.pCounterAvailabilityImage = session->availability.bytes;
	return CALL(cuptiProfilerGetCounterAvailability, &p);
}

static CUptiResult make_host(const char *chip, struct session *session)
{
	CUpti_Profiler_Host_Initialize_Params p = {
	    .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
	    .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
	    .pChipName = chip,
	    .pCounterAvailabilityImage = session->availability.bytes};
	CUptiResult result = cupti.cuptiProfilerHostInitialize(&p);

	session->host = p.pHostObject;
	return result;
}

static void drop_host(struct session *session)
{
	CUpti_Profiler_Host_Deinitialize_Params p = {
	    .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
	    .pHostObject = session->host};

	if (session->host)
		cupti.cuptiProfilerHostDeinitialize(&p);
	session->host = NULL;
	drop_image(&session->config);
}

static CUptiResult add_metrics(struct session *session)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
	    .structSize =
		CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
	    .pHostObject = session->host,
	    .ppMetricNames = metric_names,
	    .numMetrics = session->metrics};
	CUpti_Profiler_Host_GetConfigImageSize_Params size = {
	    .structSize =
		CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
	    .pHostObject = session->host};
	CUpti_Profiler_Host_GetConfigImage_Params get = {
	    .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
	    .pHostObject = session->host};
	CUptiResult result = cupti.cuptiProfilerHostConfigAddMetrics(&add);

	if (result == CUPTI_SUCCESS)
		result = cupti.cuptiProfilerHostGetConfigImageSize(&size);
	if (result != CUPTI_SUCCESS)
		return result;
	if (!take_image(&session->config, size.configImageSize))
		return CUPTI_ERROR_OUT_OF_MEMORY;
	get.configImageSize = session->config.size;
	get.pConfigImage = session->config.bytes;
	return cupti.cuptiProfilerHostGetConfigImage(&get);
}

static size_t passes(const struct session *session)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params p = {
	    .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
	    .configImageSize = session->config.size,
	    .pConfigImage = session->config.bytes};

	if (cupti.cuptiProfilerHostGetNumOfPasses(&p) != CUPTI_SUCCESS)
		return SIZE_MAX;
	return p.numOfPasses;
}

/* The most metrics that this chip has and counts in one pass. */
static bool choose_metrics(const struct xs_launch *launch,
			   struct session *session)
{
	CUpti_Device_GetChipName_Params chip = {
	    .structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
	    .deviceIndex = launch->device};
	CUptiResult result = CUPTI_ERROR_NOT_SUPPORTED;

	if (!CALL(cuptiDeviceGetChipName, &chip))
		return false;
	for (size_t i = 0; i < sizeof(metric_sets) / sizeof(*metric_sets);
	     i++) {
		session->metrics = metric_sets[i];
		result = make_host(chip.pChipName, session);
		if (result == CUPTI_SUCCESS)
			result = add_metrics(session);
		if (result == CUPTI_SUCCESS && passes(session) == 1) {
			xs_log("chip %s: %zu metrics in one pass",
			       chip.pChipName, session->metrics);
			return true;
		}
		xs_log("chip %s: not %zu metrics in one pass (%d)",
		       chip.pChipName, session->metrics, (int)result);
		drop_host(session);
	}
	return succeeded("cuptiProfilerHostConfigAddMetrics",
			 result == CUPTI_SUCCESS ? CUPTI_ERROR_NOT_SUPPORTED
						 : result);
}

static bool clear_data(const struct session *session)
{
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
	    .structSize =
		CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler,
	    .counterDataSize = session->data.size,
	    .pCounterData = session->data.bytes};

	return CALL(cuptiRangeProfilerCounterDataImageInitialize, &p);
}

static bool make_data(struct session *session)
{
	CUpti_RangeProfiler_GetCounterDataSize_Params p = {
	    .structSize =
		CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler,
	    .pMetricNames = metric_names,
	    .numMetrics = session->metrics,
	    .maxNumOfRanges = 1,
	    .maxNumRangeTreeNodes = 1};

	return CALL(cuptiRangeProfilerGetCounterDataSize, &p) &&
	       take_image(&session->data, p.counterDataSize) &&
	       clear_data(session);
}

/* Each kernel is a range of its own; in one pass, so nothing is replayed. */
static bool configure(struct session *session)
{
	CUpti_RangeProfiler_SetConfig_Params p = {
	    .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler,
	    .configSize = session->config.size,
	    .pConfig = session->config.bytes,
	    .counterDataImageSize = session->data.size,
	    .pCounterDataImage = session->data.bytes,
	    .range = CUPTI_AutoRange,
	    .replayMode = CUPTI_KernelReplay,
	    .maxRangesPerPass = 1,
	    .numNestingLevels = 1,
	    .minNestingLevel = 1};

	return CALL(cuptiRangeProfilerSetConfig, &p);
}

static bool open_session(const struct xs_launch *launch,
			 struct session *session)
{
	CUpti_Profiler_Initialize_Params init = {
	    .structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
	CUpti_RangeProfiler_Enable_Params enable = {
	    .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
	    .ctx = launch->context};

	session->context_id = launch->context_id;
	if (!CALL(cuptiProfilerInitialize, &init) ||
	    !read_availability(launch, session) ||
	    !choose_metrics(launch, session) ||
	    !CALL(cuptiRangeProfilerEnable, &enable))
		return false;
	session->profiler = enable.pRangeProfilerObject;
	return make_data(session) && configure(session);
}

static struct session *session_of(const struct xs_launch *launch)
{
	struct session *session;

	for (size_t i = 0; i < session_count; i++)
		if (sessions[i].context_id == launch->context_id)
			return sessions[i].usable ? &sessions[i] : NULL;
	if (session_count == MOST_CONTEXTS)
		return NULL;
	session = &sessions[session_count++];
	session->usable = open_session(launch, session);
	return session->usable ? session : NULL;
}

/* Only the first launches of a kernel; the number of this one. */
static bool is_wanted(const struct xs_launch *launch, uint32_t *number)
{
	struct kernel_key key = {
	    .name = xs_hash(launch->name, strlen(launch->name))};
	uint32_t *slot;

	memcpy(key.grid, launch->grid, sizeof(key.grid));
	memcpy(key.block, launch->block, sizeof(key.block));
	slot = xs_intern_number(&tries, &key, sizeof(key));
	if (!slot || *slot >= COUNTED_LAUNCHES)
		return false;
	*number = ++*slot;
	return true;
}

/* A captured launch does not run now, and must not be waited for. */
static bool is_captured(const struct xs_launch *launch)
{
	static CUresult (*ask[2])(CUstream stream,
				  CUstreamCaptureStatus * status);
	static const char *const names[2] = {"cuStreamIsCapturing",
					     "cuStreamIsCapturing_ptsz"};
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	void *driver;

	if (!ask[launch->per_thread]) {
		driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
		if (!driver)
			return true;
		void *symbol = dlsym(driver, names[launch->per_thread]);
		dlclose(driver);
		memcpy(&ask[launch->per_thread], &symbol, sizeof(symbol));
	}
	return !ask[launch->per_thread] ||
	       ask[launch->per_thread](launch->stream, &status) !=
		   CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static bool start(const struct session *session)
{
	CUpti_RangeProfiler_Start_Params p = {
	    .structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler};

	return CALL(cuptiRangeProfilerStart, &p);
}

bool xs_counters_begin(const struct xs_launch *launch)
{
	if (atomic_load(&off) || atomic_exchange(&counting, true))
		return false;
	current = NULL;
	if (!is_captured(launch) && is_wanted(launch, &current_try))
		current = session_of(launch);
	if (current && start(current))
		return true;
	atomic_store(&counting, false);
	return false;
}

/* Whether the data are of this one kernel: another thread may have launched
 * one in the meantime. */
static bool stop(const struct session *session)
{
	CUpti_RangeProfiler_Stop_Params end = {
	    .structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler};
	CUpti_RangeProfiler_DecodeData_Params decode = {
	    .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = session->profiler};
	CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
	    .structSize =
		CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
	    .pCounterDataImage = session->data.bytes,
	    .counterDataImageSize = session->data.size};

	if (!CALL(cuptiRangeProfilerStop, &end) ||
	    !CALL(cuptiRangeProfilerDecodeData, &decode) ||
	    !CALL(cuptiRangeProfilerGetCounterDataInfo, &info))
		return false;
	xs_log("%zu ranges, %zu dropped, all passes %d", info.numTotalRanges,
	       decode.numOfRangeDropped, end.isAllPassSubmitted);
	return info.numTotalRanges == 1 && decode.numOfRangeDropped == 0;
}

static bool evaluate(const struct session *session, double *values)
{
	CUpti_Profiler_Host_EvaluateToGpuValues_Params p = {
	    .structSize =
		CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
	    .pHostObject = session->host,
	    .pCounterDataImage = session->data.bytes,
	    .counterDataImageSize = session->data.size,
	    .ppMetricNames = metric_names,
	    .numMetrics = session->metrics,
	    .pMetricValues = values};

	return CALL(cuptiProfilerHostEvaluateToGpuValues, &p);
}

static uint64_t whole(double value)
{
	return value >= 0 && value < 0x1p63 ? (uint64_t)(value + 0.5)
					    : XS_UNCOUNTED;
}

static void write_counts(const struct xs_launch *launch, const double *values)
{
	const struct xs_gpu_counts counts = {
	    .device = (uint16_t)launch->device,
	    .launch = (uint16_t)current_try,
	    .correlation = launch->correlation,
	    .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
	    .block = {(uint16_t)launch->block[0], (uint16_t)launch->block[1],
		      (uint16_t)launch->block[2]},
	    .sectors_read = whole(values[SECTORS_READ]),
	    .sectors_written = whole(values[SECTORS_WRITTEN]),
	    .requests_read = whole(values[REQUESTS_READ]),
	    .requests_written = whole(values[REQUESTS_WRITTEN]),
	    .host_sectors_read = whole(values[HOST_SECTORS_READ]),
	    .host_sectors_written = whole(values[HOST_SECTORS_WRITTEN]),
	    .instructions = whole(values[INSTRUCTIONS]),
	};

	xs_log("counted %s, launch %u: sectors %.0f + %.0f, requests %.0f + "
	       "%.0f, of host memory %.0f + %.0f, instructions %.0f",
	       launch->name, current_try, values[SECTORS_READ],
	       values[SECTORS_WRITTEN], values[REQUESTS_READ],
	       values[REQUESTS_WRITTEN], values[HOST_SECTORS_READ],
	       values[HOST_SECTORS_WRITTEN], values[INSTRUCTIONS]);
	xs_gpu_counters(&counts, launch->name);
}

void xs_counters_end(const struct xs_launch *launch)
{
	double values[METRICS];

	for (size_t i = 0; i < METRICS; i++)
		values[i] = NAN;
	if (stop(current) && evaluate(current, values))
		write_counts(launch, values);
	if (!atomic_load(&off))
		clear_data(current);
	atomic_store(&counting, false);
}

bool xs_counters_find(void *library)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		memcpy(symbols[i].slot, &symbol, sizeof(symbol));
		if (symbol)
			continue;
		xs_gpu_info("note",
			    "kernels are not counted: this libcupti has no "
			    "%s; that of CUDA 12.6.2 or newer is wanted: set "
			    "XFERSPY_CUPTI to its path",
			    symbols[i].name);
		return false;
	}
	atomic_store(&off, false);
	return true;
}

#else /* an older toolkit */

bool xs_counters_find(void *library)
{
	(void)library;
	xs_gpu_info("note", "kernels are not counted: this libxferspy was "
			    "built with a CUDA toolkit older than 12.6.2; "
			    "build it with a newer one");
	return false;
}

bool xs_counters_begin(const struct xs_launch *launch)
{
	(void)launch;
	return false;
}

void xs_counters_end(const struct xs_launch *launch)
{
	(void)launch;
}

#endif
