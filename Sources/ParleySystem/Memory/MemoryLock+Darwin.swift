// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    extension MemoryLock {
        /// The number of bytes that this process may lock; `UInt64.max` if there is no limit, nil if it is unknown.
        package static var limit: UInt64? {
            var limit = rlimit()
            guard getrlimit(RLIMIT_MEMLOCK, &limit) == 0 else { return nil }
            return limit.rlim_cur >= rlim_t(Int64.max) ? .max : UInt64(limit.rlim_cur)
        }

        static var remedy: String {
            "Raise it with `ulimit -l unlimited`; the whole system's is `sysctl vm.user_wire_limit`"
        }
    }
#endif
