// SPDX-License-Identifier: Apache-2.0

/// The number of threads that can compute at full speed on a Linux system.
///
/// Threads wait for each other after each operation. More threads are therefore slower if two of them share a core, if
/// one runs on a core too slow to be worth the waiting, or if they need more processor time than the control group allows.
package struct ProcessorCount {
    private let files: SystemFiles

    /// Reads the number from the given system's files.
    package init(_ files: SystemFiles) {
        self.files = files
    }

    /// The number of threads, at least 1; nil if it is unknown on which processors the process may run.
    package var usable: Int? {
        let allowed = allowed
        return allowed.isEmpty ? nil : max(min(strongCores(among: allowed), quota ?? .max), 1)
    }

    /// The processors on which the process may run (its affinity mask); see `proc_pid_status(5)`.
    private var allowed: Set<Int> {
        let label = "Cpus_allowed_list:"
        guard let line = files.lines(of: "/proc/self/status").first(where: { $0.hasPrefix(label) }) else { return [] }
        return SystemFiles.list(line.dropFirst(label.count).filter { !$0.isWhitespace })
    }

    /// The number of physical cores that the process may use, without those that have less than half the capacity of
    /// the fastest.
    ///
    /// See <https://docs.kernel.org/admin-guide/cputopology.html>.
    private func strongCores(among allowed: Set<Int>) -> Int {
        let capacities = allowed.map { max(files.number(in: "\(directory($0))/cpu_capacity") ?? 0, 0) }
        let half = (capacities.max() ?? 0) / 2
        let strong = zip(allowed, capacities).filter { $0.1 >= half }.map(\.0)
        return Set(strong.map(firstSibling)).count
    }

    /// The lowest-numbered processor that shares a core with this one.
    private func firstSibling(of processor: Int) -> Int {
        for name in ["core_cpus_list", "thread_siblings_list"] {
            if let first = files.list(in: "\(directory(processor))/topology/\(name)").min() { return first }
        }
        return processor
    }

    private func directory(_ processor: Int) -> String { "/sys/devices/system/cpu/cpu\(processor)" }

    /// The processor time that the control groups allow, in whole processors; nil if they set no limit.
    ///
    /// See <https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files> and
    /// <https://docs.kernel.org/scheduler/sched-bwc.html>.
    private var quota: Int? {
        let bounds =
            files.controlGroups.map { group in
                let fields = files.lines(of: "\(group)/cpu.max").first?.split(separator: " ").map { Int($0) }
                return (quota: fields?.first ?? nil, period: fields?.last ?? nil)
            }
            + files.controlGroups(of: "cpu").map { group in
                (files.number(in: "\(group)/cpu.cfs_quota_us"), files.number(in: "\(group)/cpu.cfs_period_us"))
            }
        return bounds.compactMap { quota, period in
            guard let quota, let period, quota > 0, period > 0 else { return nil }
            return quota / period
        }.min()
    }
}
