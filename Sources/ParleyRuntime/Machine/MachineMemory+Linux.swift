// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    import FoundationEssentials

    extension MachineMemory {
        /// Reads the machine's memory and the limits of its control groups.
        ///
        /// See `proc_meminfo(5)` and <https://docs.kernel.org/admin-guide/cgroup-v2.html>.
        public static func current() -> MachineMemory {
            var reading = MachineMemory(physical: .max, available: .max)
            for line in lines(of: "/proc/meminfo") {
                let fields = line.split(separator: " ")
                guard fields.count > 1, let kibibytes = Int(fields[1]), kibibytes < .max >> 10 else { continue }
                if fields[0] == "MemTotal:" { reading.physical = kibibytes << 10 }
                if fields[0] == "MemAvailable:" { reading.available = kibibytes << 10 }
            }
            for group in controlGroups {
                guard let limit = number(in: group.limit) else { continue }
                reading.physical = min(reading.physical, limit)
                // Pages of files count as used but go when memory is short.
                let used = max((number(in: group.usage) ?? 0) - reclaimable(group.statistics), 0)
                reading.available = min(reading.available, max(limit - used, 0))
            }
            return reading
        }

        private static let versionOne = "/sys/fs/cgroup/memory"

        /// The files of the process's own control group and of those above it, version 2 and then 1.
        private static var controlGroups: [(limit: String, usage: String, statistics: String)] {
            var paths = ["/sys/fs/cgroup"]
            for line in lines(of: "/proc/self/cgroup") where line.hasPrefix("0::/") {
                for name in line.dropFirst(4).split(separator: "/") where name != ".." {
                    paths.append(paths[paths.count - 1] + "/" + name)
                }
            }
            return paths.map { ("\($0)/memory.max", "\($0)/memory.current", "\($0)/memory.stat") }
                + [
                    (
                        "\(versionOne)/memory.limit_in_bytes", "\(versionOne)/memory.usage_in_bytes",
                        "\(versionOne)/memory.stat"
                    )
                ]
        }

        private static func reclaimable(_ path: String) -> Int {
            for line in lines(of: path) where line.hasPrefix("inactive_file ") {
                return Int(line.dropFirst("inactive_file ".count)) ?? 0
            }
            return 0
        }

        private static func number(in path: String) -> Int? {
            lines(of: path).first.flatMap { Int($0) }
        }

        private static func lines(of path: String) -> [Substring] {
            ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
        }
    }
#endif
