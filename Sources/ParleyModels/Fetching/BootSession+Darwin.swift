// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
    import Foundation

    /// The run of the system since it was last started.
    enum BootSession {
        /// Its name; one of its own for each process where the system has none.
        static let current: String = {
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return UUID().uuidString }
            return String(decoding: bytes.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
        }()
    }
#endif
