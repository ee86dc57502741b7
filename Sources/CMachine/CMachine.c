#define _GNU_SOURCE
#include <signal.h>
#include "CMachine.h"

#if defined(__x86_64__)
#include <cpuid.h>

// The register states that the operating system saves: bits 1 and 2 are SSE and AVX, bits 5 to 7 AVX-512.
static uint64_t saved_states(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

bool thaw_has_avx2(void) {
    unsigned a, b, c, d;
    if ((saved_states() & 0x6) != 0x6) return false;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

bool thaw_has_avx512(void) {
    unsigned a, b, c, d, needed = bit_AVX512F | bit_AVX512VL | bit_AVX512BW | bit_AVX512DQ;
    if (!thaw_has_avx2() || (saved_states() & 0xe6) != 0xe6) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & needed) == needed;
}

bool thaw_has_avx2_vnni(void) {
    unsigned a, b, c, d;
    return thaw_has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 4);
}

bool thaw_has_avx512_vnni(void) {
    unsigned a, b, c, d;
    return thaw_has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1 << 11);
}

bool thaw_has_avx512_vbmi(void) {
    unsigned a, b, c, d;
    return thaw_has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1 << 1);
}

bool thaw_has_avx512_bf16(void) {
    unsigned a, b, c, d;
    if (!thaw_has_avx512() || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || a < 1) return false;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 5);
}

#if defined(__linux__)
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux saves the tiles of a thread only for processes that have asked for it (ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
static bool may_use_tiles;
static void request_tiles(void) { may_use_tiles = syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

bool thaw_has_amx_int8(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned a, b, c, d, needed = 1 << 24 | 1 << 25;
    if (!thaw_has_avx512_vnni() || (saved_states() & 0x60000) != 0x60000) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & needed) != needed) return false;
    pthread_once(&once, request_tiles);
    return may_use_tiles;
}
#else
bool thaw_has_amx_int8(void) { return false; }
#endif
#else
bool thaw_has_amx_int8(void) { return false; }
bool thaw_has_avx2(void) { return false; }
bool thaw_has_avx512(void) { return false; }
bool thaw_has_avx2_vnni(void) { return false; }
bool thaw_has_avx512_vnni(void) { return false; }
bool thaw_has_avx512_vbmi(void) { return false; }
bool thaw_has_avx512_bf16(void) { return false; }
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

// The bits are HWCAP_ASIMDDP, HWCAP2_I8MM and HWCAP2_BF16, which not every C library's headers name.
bool thaw_has_dotprod(void) { return getauxval(AT_HWCAP) & 1 << 20; }
bool thaw_has_i8mm(void) { return getauxval(AT_HWCAP2) & 1 << 13; }
bool thaw_has_bf16(void) { return getauxval(AT_HWCAP2) & 1 << 14; }
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

static bool has_feature(const char *name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value;
}

bool thaw_has_dotprod(void) { return has_feature("hw.optional.arm.FEAT_DotProd"); }
bool thaw_has_i8mm(void) { return has_feature("hw.optional.arm.FEAT_I8MM"); }
bool thaw_has_bf16(void) { return has_feature("hw.optional.arm.FEAT_BF16"); }
#else
bool thaw_has_dotprod(void) { return false; }
bool thaw_has_i8mm(void) { return false; }
bool thaw_has_bf16(void) { return false; }
#endif

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void thaw_wait(int32_t *word, int32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}

void thaw_wake(int32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}
#else
#include <pthread.h>

// One lock and one condition for all words: wakeups are rare, and early returns are allowed.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void thaw_wait(int32_t *word, int32_t expected) {
    pthread_mutex_lock(&lock);
    if (thaw_load(word) == expected) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void thaw_wake(int32_t *word) {
    (void)word;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
#endif

#include <stdio.h>
#if defined(__linux__)
#include <fcntl.h>

int thaw_exchange_names(const char *a, const char *b) {
    // By system call number: not every C library has a function for it. 2 is RENAME_EXCHANGE.
    return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2u);
}
#else
int thaw_exchange_names(const char *a, const char *b) { return renamex_np(a, b, RENAME_SWAP); }
#endif

bool thaw_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

#include <pthread.h>

static int32_t forks;

static void count_fork(void) { forks++; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

int32_t thaw_fork_count(void) { return forks; }
