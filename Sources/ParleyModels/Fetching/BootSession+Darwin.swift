// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
    import Foundation

    /// Identifies the current boot of the operating system.
    enum BootSession {
        /// An identifier that changes with every reboot; unique to this process where the system provides none.
        static let current: String = {
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return UUID().uuidString }
            return String(decoding: bytes.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
        }()
    }
#endif
