// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation

    /// The run of the system since it was last started.
    enum BootSession {
        /// Its name; one of its own for each process where the system has none.
        static let current: String = {
            let id = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return id.map { String($0.prefix(36)) } ?? UUID().uuidString
        }()
    }
#endif
