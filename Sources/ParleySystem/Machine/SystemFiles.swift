// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files with which a Linux system describes itself; tests read copies of them below another root than `/`.
package struct SystemFiles: Sendable {
    private let root: String

    /// Reads the files below a root directory; the empty string stands for `/`.
    package init(root: String = "") {
        self.root = root
    }

    /// The lines of a file; empty if it cannot be read.
    func lines(of path: String) -> [Substring] {
        ((try? String(contentsOfFile: root + path, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// The first line of a file; nil if there is none.
    func line(of path: String) -> Substring? { lines(of: path).first }

    /// The paths of what a directory has, in order; empty if it cannot be read.
    func entries(of path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted().map { "\(path)/\($0)" }
    }

    /// The number in the first line of a file; nil if there is none.
    func number(in path: String) -> Int? {
        lines(of: path).first.flatMap { Int($0) }
    }

    /// The numbers of the list in the first line of a file.
    func list(in path: String) -> Set<Int> {
        lines(of: path).first.map { Self.list(String($0)) } ?? []
    }

    /// Parses a list such as `0-3,8`.
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

    /// The directories of the process's control group and of all groups that contain it, outermost first, in cgroup
    /// version 2.
    var controlGroups: [String] {
        controlGroups(below: "/sys/fs/cgroup") { $0.isEmpty }
    }

    /// The same directories for one controller in cgroup version 1.
    func controlGroups(of controller: String) -> [String] {
        controlGroups(below: "/sys/fs/cgroup/\(controller)") {
            $0.split(separator: ",").contains { $0 == controller }
        }
    }

    /// Reads `/proc/self/cgroup`, whose lines are `number:controllers:path`; version 2 names no controllers.
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
