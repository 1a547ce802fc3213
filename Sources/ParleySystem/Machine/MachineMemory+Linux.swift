// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    extension MachineMemory {
        /// Reads the machine's memory and the limits of the process's control groups.
        package static func current() -> MachineMemory { MachineMemory(SystemFiles()) }

        /// Reads the memory and the limits from the given system's files.
        ///
        /// See `proc_meminfo(5)` and <https://docs.kernel.org/admin-guide/cgroup-v2.html>.
        package init(_ files: SystemFiles) {
            self.init(physical: .max, available: .max)
            for line in files.lines(of: "/proc/meminfo") {
                let fields = line.split(separator: " ")
                guard fields.count > 1, let kibibytes = Int(fields[1]), 0..<(.max >> 10) ~= kibibytes else { continue }
                if fields[0] == "MemTotal:" { physical = kibibytes << 10 }
                if fields[0] == "MemAvailable:" { available = kibibytes << 10 }
            }
            let groups =
                files.controlGroups.map { ("\($0)/memory.max", "\($0)/memory.current", "\($0)/memory.stat") }
                + files.controlGroups(of: "memory").map {
                    ("\($0)/memory.limit_in_bytes", "\($0)/memory.usage_in_bytes", "\($0)/memory.stat")
                }
            for (limit, usage, statistics) in groups {
                guard let limit = files.number(in: limit), limit >= 0 else { continue }
                physical = min(physical, limit)
                // Cached pages of files count as used, but the kernel drops them when memory is short.
                let used = max(max(files.number(in: usage) ?? 0, 0) - Self.reclaimable(files.lines(of: statistics)), 0)
                available = min(available, max(limit - used, 0))
            }
        }

        private static func reclaimable(_ statistics: [Substring]) -> Int {
            for line in statistics where line.hasPrefix("inactive_file ") {
                return max(Int(line.dropFirst("inactive_file ".count)) ?? 0, 0)
            }
            return 0
        }
    }
#endif
