/* SPDX-License-Identifier: MIT */
/* A failing CUPTI: its callbacks belong to another tool, and its last flush
 * never returns, as on a GPU that hangs. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define FORCED		 1
#define OTHER_SUBSCRIBER 39

int cuptiGetVersion(uint32_t *version);
int cuptiActivityRegisterCallbacks(void *requested, void *completed);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);
int cuptiSubscribe(void **subscriber, void *callback, void *data);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain,
			uint32_t id);
int cuptiGetCallbackName(int domain, uint32_t id, const char **name);

int cuptiGetVersion(uint32_t *version)
{
	*version = 130000;
	return 0;
}

int cuptiActivityRegisterCallbacks(void *requested, void *completed)
{
	return requested && completed ? 0 : 1;
}

int cuptiActivityEnable(int kind)
{
	return kind ? 0 : 1;
}

int cuptiActivityDisable(int kind)
{
	return kind ? 0 : 1;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	while (flag == FORCED)
		pause();
	return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record)
{
	(void)buffer, (void)bytes, (void)record;
	return 1;
}

int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
	(void)subscriber, (void)callback, (void)data;
	return OTHER_SUBSCRIBER;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain,
			uint32_t id)
{
	(void)enable, (void)subscriber, (void)domain, (void)id;
	return 1;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char **name)
{
	(void)domain, (void)id, (void)name;
	return 1;
}
