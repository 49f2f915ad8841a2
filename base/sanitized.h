/*
 * Which sanitizers this build has. gcc says so by a macro of its own, clang by a feature.
 */
#ifndef SIM_SANITIZED_H
#define SIM_SANITIZED_H

#ifdef __has_feature
#define SIM_HAS_FEATURE(name) __has_feature(name)
#else
#define SIM_HAS_FEATURE(name) 0
#endif

/** AddressSanitizer, with its leak checker. */
#if defined __SANITIZE_ADDRESS__ || SIM_HAS_FEATURE(address_sanitizer)
#define SIM_ADDRESSES_WATCHED 1
#else
#define SIM_ADDRESSES_WATCHED 0
#endif

/** ThreadSanitizer. */
#if defined __SANITIZE_THREAD__ || SIM_HAS_FEATURE(thread_sanitizer)
#define SIM_THREADS_WATCHED 1
#else
#define SIM_THREADS_WATCHED 0
#endif

#endif
