// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// The resident memory of this process.
    package enum ProcessMemory {
        /// The resident memory of now, in bytes; nil if the system does not tell.
        package static func resident() -> Int? {
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(
                MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let status = withUnsafeMutablePointer(to: &info) { pointer in
                pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            return status == KERN_SUCCESS ? Int(info.resident_size) : nil
        }
    }
#endif
