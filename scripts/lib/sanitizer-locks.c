// Tells ThreadSanitizer of the locks of GLib and of Swift's Mutex and of Swift's continuations, for scripts/check sanitized: they
// are made of futexes and atomics in code that was not built with the sanitizer, so that everything handed over by one of them
// (every buffer of GStreamer's) would count as a race. Preloaded into the tests; in a process without the sanitizer it only passes on. To be built with the
// toolchain's clang, which knows Swift's way of calling.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

static void (*tsan_acquire)(void *), (*tsan_release)(void *);

__attribute__((constructor)) static void find_sanitizer(void) {
    tsan_acquire = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_acquire");
    tsan_release = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_release");
}

// What the thread that held it last did before it let go has happened before what this thread does now.
static inline void took(void *lock) { if (tsan_acquire) tsan_acquire(lock); }
static inline void lets_go(void *lock) { if (tsan_release) tsan_release(lock); }

// GLib's own function of this name.
#define REAL(name, type) \
    static __typeof__(type) *real; \
    if (!real) real = (__typeof__(type) *)dlsym(RTLD_NEXT, #name)

#define LOCK(name) \
    void name(void *lock) { REAL(name, void(void *)); real(lock); took(lock); }
#define TRYLOCK(name) \
    int name(void *lock) { REAL(name, int(void *)); int is_mine = real(lock); if (is_mine) took(lock); return is_mine; }
#define UNLOCK(name) \
    void name(void *lock) { REAL(name, void(void *)); lets_go(lock); real(lock); }

LOCK(g_mutex_lock)
TRYLOCK(g_mutex_trylock)
UNLOCK(g_mutex_unlock)
LOCK(g_rec_mutex_lock)
TRYLOCK(g_rec_mutex_trylock)
UNLOCK(g_rec_mutex_unlock)
LOCK(g_rw_lock_writer_lock)
TRYLOCK(g_rw_lock_writer_trylock)
UNLOCK(g_rw_lock_writer_unlock)
LOCK(g_rw_lock_reader_lock)
TRYLOCK(g_rw_lock_reader_trylock)
UNLOCK(g_rw_lock_reader_unlock)

// Waiting lets go of the lock and takes it again, inside of GLib.
void g_cond_wait(void *condition, void *lock) {
    REAL(g_cond_wait, void(void *, void *));
    lets_go(lock);
    real(condition, lock);
    took(lock);
}
int g_cond_wait_until(void *condition, void *lock, int64_t end) {
    REAL(g_cond_wait_until, int(void *, void *, int64_t));
    lets_go(lock);
    int is_signaled = real(condition, lock, end);
    took(lock);
    return is_signaled;
}

// Mutex takes a free lock in code that is inlined, and so is seen; only where it has to wait is it not. Synchronization's
// _MutexHandle._lockSlow(UInt32) and _unlockSlow(), with the handle as `self`.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle
typedef SWIFT void (*swift_lock_slow)(uint32_t, SELF);
typedef SWIFT void (*swift_unlock_slow)(SELF);
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void framegrep_lock_slow(uint32_t, SELF) __asm__(LOCK_SLOW);
SWIFT void framegrep_lock_slow(uint32_t thread, SELF) {
    static swift_lock_slow real;
    if (!real) real = (swift_lock_slow)dlsym(RTLD_NEXT, LOCK_SLOW);
    real(thread, handle);
    took(handle);
}
SWIFT void framegrep_unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void framegrep_unlock_slow(SELF) {
    static swift_unlock_slow real;
    if (!real) real = (swift_unlock_slow)dlsym(RTLD_NEXT, UNLOCK_SLOW);
    lets_go(handle);
    real(handle);
}

// What is done before a continuation is resumed has happened before what the task does that waited for it. Swift's runtime says
// so to the sanitizer only where the task had begun to wait. CheckedContinuation.resume(returning:) and resume(throwing:), with
// registers passed on as they are; and swift_task_dealloc, with which an async function frees what it has just waited for. One
// mark for all continuations: they cannot be told apart there.
static int continuations;
typedef SWIFT void (*swift_resume)(void *, void *, void *, void *, SELF);
#define RESUME(name, symbol) \
    SWIFT void name(void *, void *, void *, void *, SELF) __asm__(symbol); \
    SWIFT void name(void *a, void *b, void *c, void *d, SELF) { \
        static swift_resume real; \
        if (!real) real = (swift_resume)dlsym(RTLD_NEXT, symbol); \
        lets_go(&continuations); \
        real(a, b, c, d, handle); \
    }
RESUME(framegrep_resume_returning, "$sScC6resume9returningyxn_tF")
RESUME(framegrep_resume_throwing, "$sScC6resume8throwingyq_n_tF")

typedef SWIFT void (*swift_dealloc)(void *);
SWIFT void swift_task_dealloc(void *memory) {
    static swift_dealloc real;
    if (!real) real = (swift_dealloc)dlsym(RTLD_NEXT, "swift_task_dealloc");
    real(memory);
    took(&continuations);
}
