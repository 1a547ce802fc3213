// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    #if os(iOS)
        import os
    #endif

    extension MachineMemory {
        /// Reads the machine's memory; on iOS, the memory that the system allows this process.
        package static func current() -> MachineMemory {
            var physical: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            sysctlbyname("hw.memsize", &physical, &size, nil, 0)
            // 0 where the system sets no limit for the process, as in the simulator.
            #if os(iOS) && !targetEnvironment(macCatalyst)
                let allowed = Int(os_proc_available_memory())
            #else
                let allowed = 0
            #endif
            let available = allowed > 0 ? allowed : freeAndReclaimable() ?? Int(physical)
            return MachineMemory(physical: Int(physical), available: available)
        }

        /// The machine for the kernel. Taken once, for each call takes a right to it.
        private static let host = mach_host_self()

        private static func freeAndReclaimable() -> Int? {
            // Not `getpagesize()`: a process under Rosetta has smaller pages than the kernel, which counts these.
            var pageSize: vm_size_t = 0
            guard host_page_size(host, &pageSize) == KERN_SUCCESS else { return nil }
            var statistics = vm_statistics64()
            var count = mach_msg_type_number_t(
                MemoryLayout<vm_statistics64>.size / MemoryLayout<integer_t>.size)
            let status = withUnsafeMutablePointer(to: &statistics) { pointer in
                pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    host_statistics64(host, HOST_VM_INFO64, $0, &count)
                }
            }
            guard status == KERN_SUCCESS else { return nil }
            let pages = statistics.free_count + statistics.inactive_count + statistics.purgeable_count
            return Int(pages) * Int(pageSize)
        }
    }
#endif
