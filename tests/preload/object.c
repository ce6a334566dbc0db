/* SPDX-License-Identifier: MIT */
/* An object for test_objects.c. XS_CALLS: a function that it imports and calls;
 * XS_DEVICE_CODE: contains device code. */
#ifdef XS_CALLS
int XS_CALLS(void);
int call_it(void);

int call_it(void)
{
	return XS_CALLS();
}
#endif

#ifdef XS_DEVICE_CODE
__attribute__((section(".nv_fatbin"), used)) static const char code[16] = "";
#endif

extern const int not_empty;
const int not_empty = 1;
