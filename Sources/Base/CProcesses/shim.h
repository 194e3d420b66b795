// Functions that Swift's Glibc lacks, because it is imported without _GNU_SOURCE.
#ifndef FRAMEGREP_CPROCESSES_H
#define FRAMEGREP_CPROCESSES_H

#include <sched.h>
#include <sys/eventfd.h>

// <unistd.h> declares it only with _GNU_SOURCE; pipe2(2).
extern int pipe2(int ends[2], int flags);
// <sched.h> declares it only with _GNU_SOURCE; sched_setaffinity(2).
extern int sched_getaffinity(pid_t process, size_t size, cpu_set_t *processors);
// <sys/mman.h> declares it only with _GNU_SOURCE; memfd_create(2).
extern int memfd_create(const char *name, unsigned int flags);
// MFD_CLOEXEC, whose header is the same.
static const unsigned int framegrep_memfd_cloexec = 1;

#endif
