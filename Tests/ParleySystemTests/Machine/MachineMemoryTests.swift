// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import ParleySystem
    import Testing

    @Suite("Machine memory")
    struct MachineMemoryTests {
        /// A machine of 8 GiB, 4 of them available, described by the contents of its other system files.
        struct Machine: Sendable, CustomTestStringConvertible {
            let testDescription: String
            var files: [String: String] = [:]
            var memory = MachineMemory(physical: 8 << 30, available: 4 << 30)
        }

        private static let gibibyte = 1 << 30

        static let machines = [
            Machine(testDescription: "no control group"),
            Machine(
                testDescription: "version 2, no limit",
                files: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"]),
            Machine(
                testDescription: "version 2, a limit; cached pages of files can be had back",
                files: [
                    "/sys/fs/cgroup/memory.max": "\(2 * gibibyte)\n", "/sys/fs/cgroup/memory.current": "\(gibibyte)\n",
                    "/sys/fs/cgroup/memory.stat": "anon 5\ninactive_file \(gibibyte / 2)\nactive_file 7\n",
                ], memory: MachineMemory(physical: 2 << 30, available: 3 << 29)),
            Machine(
                testDescription: "version 2, a lower limit of a group above the process's own",
                files: [
                    "/proc/self/cgroup": "0::/pod/box\n", "/sys/fs/cgroup/pod/memory.max": "\(gibibyte)\n",
                    "/sys/fs/cgroup/pod/box/memory.max": "\(2 * gibibyte)\n",
                ], memory: MachineMemory(physical: 1 << 30, available: 1 << 30)),
            Machine(
                testDescription: "version 1, a limit of the group and none above it",
                files: [
                    "/proc/self/cgroup": "4:cpu:/other\n9:memory:/box\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                    "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": "\(3 * gibibyte)\n",
                    "/sys/fs/cgroup/memory/box/memory.usage_in_bytes": "\(gibibyte)\n",
                ], memory: MachineMemory(physical: 3 << 30, available: 2 << 30)),
            Machine(
                testDescription: "a limit above what the machine has",
                files: ["/sys/fs/cgroup/memory.max": "\(64 * gibibyte)\n"]),
            Machine(
                testDescription: "more is used than is allowed",
                files: [
                    "/sys/fs/cgroup/memory.max": "\(gibibyte)\n", "/sys/fs/cgroup/memory.current": "\(2 * gibibyte)\n",
                ], memory: MachineMemory(physical: 1 << 30, available: 0)),
            Machine(
                testDescription: "files that make no sense",
                files: [
                    "/proc/self/cgroup": "::\nx\n0:\n", "/sys/fs/cgroup/memory.max": "-5\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "99999999999999999999\n",
                ]),
        ]

        @Test("the lowest limit of all control groups counts, and what they have left", arguments: machines)
        func limits(machine: Machine) throws {
            let own = ["/proc/meminfo": "MemTotal:  8388608 kB\nMemFree:  1 kB\nMemAvailable:  4194304 kB\n"]
            try withSystem(own.merging(machine.files) { $1 }) { system in
                #expect(MachineMemory(system) == machine.memory)
            }
        }
    }
#elseif canImport(Darwin)
    import Foundation
    import ParleySystem
    import Testing

    @Suite("Machine memory")
    struct MachineMemoryTests {
        @Test("is what Foundation tells, and no more of it is available")
        func current() {
            let memory = MachineMemory.current()
            #expect(UInt64(memory.physical) == ProcessInfo.processInfo.physicalMemory)
            #expect(memory.available > 0 && memory.available <= memory.physical)
        }
    }
#endif
