// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    /// The resident memory of this process.
    package enum ProcessMemory {
        /// The resident memory of now, in bytes; nil if the system does not tell.
        package static func resident() -> Int? {
            // The second number is that of resident pages.
            let numbers = SystemFiles().lines(of: "/proc/self/statm").first?.split(separator: " ") ?? []
            guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
            let (bytes, isTooMuch) = pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE))))
            return isTooMuch ? nil : bytes
        }
    }
#endif
