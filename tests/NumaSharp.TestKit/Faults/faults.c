// In the place of the C library for the assemblies under test: each call first asks the test whether to fail. All other calls
// are found in the C library itself, which this library depends on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

typedef int answer_t(const char *call, int descriptor, int argument);

static answer_t *answer;

void set_answer(answer_t *source) { answer = source; }

static int fails(const char *call, int descriptor, int argument)
{
    int error = answer(call, descriptor, argument);
    errno = error;
    return error != 0;
}

#define REAL(type, name, parameters) ((type (*) parameters)dlsym(RTLD_NEXT, #name))

#define CALL_AS(said, type, name, parameters, arguments, descriptor, argument) \
    type name parameters \
    { \
        return fails(said, descriptor, argument) ? -1 : REAL(type, name, parameters) arguments; \
    }

#define CALL(type, name, parameters, arguments, descriptor, argument) \
    CALL_AS(#name, type, name, parameters, arguments, descriptor, argument)

// These have done their work when they fail.
#define CALL_FIRST(name, parameters, arguments, descriptor) \
    int name parameters \
    { \
        int result = REAL(int, name, parameters) arguments; \
        int error = errno; \
        if (fails(#name, descriptor, 0)) \
            return -1; \
        errno = error; \
        return result; \
    }

// A loop asks for 512 events at a time, a watchdog for one of each of its loops.
CALL_AS(most < 512 ? "epoll_wait of the watchdog" : "epoll_wait",
    int, epoll_wait, (int fd, void *events, int most, int timeout), (fd, events, most, timeout), fd, 0)
CALL(int, epoll_create1, (int flags), (flags), -1, 0)
CALL(int, epoll_ctl, (int epoll, int operation, int fd, void *event), (epoll, operation, fd, event), fd, operation)
CALL(int, eventfd, (unsigned value, int flags), (value, flags), -1, 0)
CALL(int, timerfd_create, (int clock, int flags), (clock, flags), -1, 0)
CALL(int, timerfd_settime, (int fd, int flags, const void *new, void *old), (fd, flags, new, old), fd, 0)
CALL(long, write, (int fd, const void *bytes, size_t count), (fd, bytes, count), fd, 0)
CALL(int, ioctl, (int fd, unsigned long request, void *argument), (fd, request, argument), fd, 0)
CALL(int, fcntl, (int fd, int command, int argument), (fd, command, argument), fd, command)
CALL(int, getrlimit, (int resource, void *limit), (resource, limit), -1, resource)
CALL(int, getifaddrs, (void **first), (first), -1, 0)
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, domain)
CALL(int, bind, (int fd, const void *address, unsigned length), (fd, address, length), fd, 0)
CALL(int, listen, (int fd, int backlog), (fd, backlog), fd, 0)
CALL(int, accept4, (int fd, void *address, void *length, int flags), (fd, address, length, flags), fd, 0)
CALL(int, getsockname, (int fd, void *address, void *length), (fd, address, length), fd, 0)
CALL(int, getsockopt, (int fd, int level, int name, void *value, void *length), (fd, level, name, value, length), fd, name)
CALL(int, setsockopt, (int fd, int level, int name, const void *value, unsigned length),
    (fd, level, name, value, length), fd, name)
CALL(int, shutdown, (int fd, int how), (fd, how), fd, how)
CALL(long, recv, (int fd, void *bytes, size_t length, int flags), (fd, bytes, length, flags), fd, 0)
CALL(long, recvmsg, (int fd, void *message, int flags), (fd, message, flags), fd, 0)
CALL(int, recvmmsg, (int fd, void *messages, unsigned count, int flags, void *timeout),
    (fd, messages, count, flags, timeout), fd, 0)
CALL(long, send, (int fd, const void *bytes, size_t length, int flags), (fd, bytes, length, flags), fd, 0)
CALL(long, sendmsg, (int fd, const void *message, int flags), (fd, message, flags), fd, 0)
CALL(int, sendmmsg, (int fd, void *messages, unsigned count, int flags), (fd, messages, count, flags), fd, 0)
CALL_FIRST(connect, (int fd, const void *address, unsigned length), (fd, address, length), fd)
CALL_FIRST(close, (int fd), (fd), fd)
