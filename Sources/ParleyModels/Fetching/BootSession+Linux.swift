// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation

    /// Identifies the current boot of the operating system.
    enum BootSession {
        /// An identifier that changes with every reboot; unique to this process where the system provides none.
        static let current: String = {
            let id = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return id.map { String($0.prefix(36)) } ?? UUID().uuidString
        }()
    }
#endif
