// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    extension MemoryLock {
        /// The number of bytes that this process may lock; `UInt64.max` if there is no limit, nil if it is unknown.
        package static var limit: UInt64? {
            var limit = rlimit()
            guard getrlimit(resource, &limit) == 0 else { return nil }
            return limit.rlim_cur == rlim_t.max ? .max : UInt64(limit.rlim_cur)
        }

        #if canImport(Glibc)
            private static var resource: __rlimit_resource_t { numericCast(__RLIMIT_MEMLOCK.rawValue) }
        #else
            private static var resource: Int32 { RLIMIT_MEMLOCK }
        #endif

        static var remedy: String {
            "Raise it with `ulimit -l unlimited`, for a service with LimitMEMLOCK=infinity, or in /etc/security/limits.conf"
        }
    }
#endif
