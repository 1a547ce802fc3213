// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// The resident memory of this process.
    package enum ProcessMemory {
        /// This process for the kernel. Taken once, for each call takes a right to it; the variable `mach_task_self_` is
        /// shared mutable state to Swift in SDKs before that of macOS 15.4.
        private static let task = task_self_trap()

        /// The resident memory of now, in bytes; nil if the system does not tell.
        package static func resident() -> Int? {
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(
                MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let status = withUnsafeMutablePointer(to: &info) { pointer in
                pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(task, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            return status == KERN_SUCCESS ? Int(info.resident_size) : nil
        }
    }
#endif
