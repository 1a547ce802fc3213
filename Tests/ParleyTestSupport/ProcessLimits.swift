// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc

    private let addressSpace: __rlimit_resource_t = numericCast(RLIMIT_AS.rawValue)
    private let lockedMemory: __rlimit_resource_t = numericCast(__RLIMIT_MEMLOCK.rawValue)
    private let fileSize: __rlimit_resource_t = numericCast(RLIMIT_FSIZE.rawValue)
#elseif canImport(Musl)
    import Musl

    private let (addressSpace, lockedMemory, fileSize) = (RLIMIT_AS, RLIMIT_MEMLOCK, RLIMIT_FSIZE)
#else
    import Darwin

    private let (addressSpace, lockedMemory, fileSize) = (RLIMIT_AS, RLIMIT_MEMLOCK, RLIMIT_FSIZE)
#endif

/// The system refused a test's own preparation.
package struct LimitError: Error {}

/// Whether `limitAddressSpace` works; processes of macOS have mapped more from their start.
package var limitsAddressSpace: Bool {
    #if os(Linux)
        true
    #else
        false
    #endif
}

/// Lets this process map so many bytes at most, for good; in a process of the test's own.
package func limitAddressSpace(to bytes: Int) throws {
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    guard setrlimit(addressSpace, &limit) == 0 else { throw LimitError() }
}

/// Forbids this process to lock memory, for good; in a process of the test's own. Who may do everything gives that up.
package func forbidLocking() throws {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    guard setrlimit(lockedMemory, &limit) == 0 else { throw LimitError() }
    if geteuid() == 0, setuid(65_534) != 0 { throw LimitError() }
}

/// Lets no file of this process grow beyond so many bytes, for good, as if the disk were full; in a process of the test's
/// own.
package func limitFileSize(to bytes: Int) throws {
    // A write beyond the limit is an error then, and does not end the process.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    guard setrlimit(fileSize, &limit) == 0 else { throw LimitError() }
}
