/* Loaded before the C library by faults.py: counts the calls of a process that change files, and disturbs the one
   whose number FAULT_AT is, or all from it on if FAULT_FROM is set, as FAULT says:

     kill   the process is killed before the call          half   it is killed after half of a write
     short  a write writes half of what it was given       28, 5  the call fails with that errno: ENOSPC, EIO

   At the end it adds the number of calls to the file FAULT_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, SHORT, HALF };
static atomic_long calls;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Counts a call. 0: go on; less: fail, errno is set; or how a write is disturbed. */
static int disturbed(void) {
    const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!fault || !at) return NOTHING;
    if (number != atol(at) && !(getenv("FAULT_FROM") && number > atol(at))) return NOTHING;
    if (!strcmp(fault, "kill")) raise(SIGKILL);
    if (!strcmp(fault, "half")) return HALF;
    if (!strcmp(fault, "short")) return SHORT;
    errno = atoi(fault);
    return -1;
}

static int is_file(int fd) {
    struct stat about;
    return fd > 2 && !fstat(fd, &about) && S_ISREG(about.st_mode);
}

#define WRITE(name, type, parameters, arguments, halved)                                  \
    type name parameters {                                                                \
        int how = is_file(fd) ? disturbed() : NOTHING;                                    \
        if (how < 0) return -1;                                                           \
        if (how == NOTHING) return REAL(name) arguments;                                  \
        type done = REAL(name) halved;                                                    \
        if (how == HALF) raise(SIGKILL);                                                  \
        return done;                                                                      \
    }
WRITE(write, ssize_t, (int fd, const void *b, size_t n), (fd, b, n), (fd, b, (n + 1) / 2))
WRITE(pwrite64, ssize_t, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o), (fd, b, (n + 1) / 2, o))
WRITE(writev, ssize_t, (int fd, const struct iovec *v, int n), (fd, v, n), (fd, v, (n + 1) / 2))

/* The others: a killed half of one is a whole one. */
#define CALL(name, parameters, arguments, counts)                                         \
    int name parameters {                                                                 \
        int how = (counts) ? disturbed() : NOTHING;                                       \
        if (how < 0) return -1;                                                           \
        int done = REAL(name) arguments;                                                  \
        if (how == HALF) raise(SIGKILL);                                                  \
        return done;                                                                      \
    }
CALL(fsync, (int fd), (fd), 1)
CALL(fdatasync, (int fd), (fd), 1)
CALL(ftruncate64, (int fd, off64_t length), (fd, length), 1)
CALL(rename, (const char *from, const char *to), (from, to), 1)
CALL(unlink, (const char *path), (path), 1)
CALL(unlinkat, (int fd, const char *path, int flags), (fd, path, flags), 1)
CALL(mkdir, (const char *path, mode_t mode), (path, mode), 1)
CALL(rmdir, (const char *path), (path), 1)
CALL(link, (const char *from, const char *to), (from, to), 1)

#define OPEN(name, first, last)                                                           \
    int name(first const char *path, int flags, ...) {                                    \
        va_list more;                                                                     \
        va_start(more, flags);                                                            \
        mode_t mode = va_arg(more, mode_t);                                               \
        va_end(more);                                                                     \
        int writes = flags & (O_WRONLY | O_RDWR | O_CREAT) && strncmp(path, "/dev/", 5);  \
        int how = writes ? disturbed() : NOTHING;                                         \
        if (how < 0) return -1;                                                           \
        int fd = REAL(name)(last path, flags, mode);                                      \
        if (how == HALF) raise(SIGKILL);                                                  \
        return fd;                                                                        \
    }
#define NONE
#define FOLDER int folder,
#define THE_FOLDER folder,
OPEN(open64, NONE, NONE)
OPEN(openat64, FOLDER, THE_FOLDER)

__attribute__((destructor)) static void say(void) {
    const char *path = getenv("FAULT_COUNT");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) fprintf(file, "%ld\n", calls), fclose(file);
}
