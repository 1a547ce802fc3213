// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files in which a Linux system describes itself. Tests put their own below another root than `/`.
package struct SystemFiles: Sendable {
    private let root: String

    /// Reads below a root.
    package init(root: String = "") {
        self.root = root
    }

    /// The lines of a file; none where it cannot be read.
    func lines(of path: String) -> [Substring] {
        ((try? String(contentsOfFile: root + path, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// The number that a file holds.
    func number(in path: String) -> Int? {
        lines(of: path).first.flatMap { Int($0) }
    }

    /// The numbers of the list that a file holds.
    func list(in path: String) -> Set<Int> {
        lines(of: path).first.map { Self.list(String($0)) } ?? []
    }

    /// The numbers of a list such as `0-3,8`.
    static func list(_ text: String) -> Set<Int> {
        var numbers: Set<Int> = []
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: "-").map { Int($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2,
                first >= 0, first <= last, last < 1 << 16
            else { continue }
            numbers.formUnion(first...last)
        }
        return numbers
    }

    /// The directories of the process's control group and of those above it, from the root, in version 2.
    var controlGroups: [String] {
        controlGroups(below: "/sys/fs/cgroup") { $0.isEmpty }
    }

    /// The same for one controller in version 1.
    func controlGroups(of controller: String) -> [String] {
        controlGroups(below: "/sys/fs/cgroup/\(controller)") {
            $0.split(separator: ",").contains { $0 == controller }
        }
    }

    /// `/proc/self/cgroup` has lines `number:controllers:path`; version 2 names no controllers.
    private func controlGroups(below mount: String, where isWanted: (Substring) -> Bool) -> [String] {
        var directories = [mount]
        for line in lines(of: "/proc/self/cgroup") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, isWanted(fields[1]) else { continue }
            for name in fields[2].split(separator: "/") where name != ".." {
                directories.append(directories[directories.count - 1] + "/" + name)
            }
            break
        }
        return directories
    }
}
