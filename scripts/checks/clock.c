/* Loaded before the C library by cluster.py: from the second time on that a process asks for the time of day, the clock
   has been set back by CLOCK_BACK seconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static atomic_int asked;
    int failed = ((__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
    const char *back = getenv("CLOCK_BACK");
    if (clock == CLOCK_REALTIME && back && atomic_fetch_add(&asked, 1)) now->tv_sec -= atol(back);
    return failed;
}
