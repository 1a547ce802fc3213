// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("Processor count")
struct ProcessorCountTests {
    /// A machine, described by the contents of its system files.
    struct Machine: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var files: [String: String] = [:]
        /// The affinity mask; nil where the system does not tell it.
        var allowed: String?
        let usable: Int?
    }

    private static func siblings(_ lists: [String], name: String = "core_cpus_list") -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: lists.enumerated().map { processor, list in
                ("/sys/devices/system/cpu/cpu\(processor)/topology/\(name)", list + "\n")
            })
    }

    private static func capacities(_ values: [Int]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: values.enumerated().map { processor, value in
                ("/sys/devices/system/cpu/cpu\(processor)/cpu_capacity", "\(value)\n")
            })
    }

    private static func quota(_ files: [String: String]) -> [String: String] {
        files.merging(siblings((0..<8).map(String.init))) { first, _ in first }
    }

    static let machines = [
        Machine(testDescription: "nothing is told", allowed: "0,1,2", usable: 3),
        Machine(
            testDescription: "two threads a core", files: siblings(["0,2", "1,3", "0,2", "1,3"]),
            allowed: "0,1,2,3", usable: 2),
        Machine(
            testDescription: "two threads a core, the older name",
            files: siblings(["0-1", "0-1", "2-3", "2-3"], name: "thread_siblings_list"), allowed: "0,1,2,3",
            usable: 2),
        Machine(
            testDescription: "bound to both threads of a core and one of another",
            files: siblings(["0,2", "1,3", "0,2", "1,3"]), allowed: "1,2,3", usable: 2),
        Machine(
            testDescription: "bound to the second thread of each core", files: siblings(["0-1", "0-1", "2-3", "2-3"]),
            allowed: "1,3", usable: 2),
        Machine(
            testDescription: "big and little cores", files: capacities([250, 250, 250, 250, 850, 850, 850, 1_024]),
            allowed: "0-7", usable: 4),
        Machine(
            testDescription: "bound to little cores", files: capacities([250, 250, 250, 250, 850, 850, 850, 1_024]),
            allowed: "0,1,2", usable: 3),
        Machine(
            testDescription: "version 2, no bound",
            files: quota(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"]),
            allowed: "0-7", usable: 8),
        Machine(
            testDescription: "version 2, a bound of three and a half",
            files: quota(["/sys/fs/cgroup/cpu.max": "350000 100000\n"]), allowed: "0-7", usable: 3),
        Machine(
            testDescription: "version 2, bounds of the group and of one above it",
            files: quota([
                "/proc/self/cgroup": "0::/pod/box\n", "/sys/fs/cgroup/pod/cpu.max": "200000 100000\n",
                "/sys/fs/cgroup/pod/box/cpu.max": "400000 100000\n",
            ]), allowed: "0-7", usable: 2),
        Machine(
            testDescription: "version 1",
            files: quota([
                "/proc/self/cgroup": "4:memory:/other\n3:cpu,cpuacct:/box\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "400000\n",
                "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000\n",
            ]), allowed: "0-7", usable: 4),
        Machine(
            testDescription: "less than one processor", files: quota(["/sys/fs/cgroup/cpu.max": "20000 100000\n"]),
            allowed: "0-7", usable: 1),
        Machine(
            testDescription: "files that make no sense",
            files: quota([
                "/proc/self/cgroup": "::\nx\n0:\n", "/sys/fs/cgroup/cpu.max": "many 0\n",
                "/sys/devices/system/cpu/cpu0/topology/core_cpus_list": "9-0,-,99999999999999999999,5-",
                "/sys/devices/system/cpu/cpu1/cpu_capacity": "-5",
            ]), allowed: "0,1", usable: 2),
        Machine(testDescription: "no mask is told", allowed: nil, usable: nil),
        Machine(testDescription: "a mask that makes no sense", allowed: "x,3-1,-", usable: nil),
    ]

    @Test("one thread for each usable core, limited by the control group's quota", arguments: machines)
    func counts(machine: Machine) throws {
        var files = machine.files
        files["/proc/self/status"] = machine.allowed.map { "Name:\tparley\nCpus_allowed_list:\t\($0)\n" }
        try withSystem(files) { system in #expect(ProcessorCount(system).usable == machine.usable) }
    }
}
