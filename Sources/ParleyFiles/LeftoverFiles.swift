// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The temporary files that programs which were ended have left: their names, and their removal.
///
/// Such a file is only removed if its name is one that ``UnfinishedFile`` makes, if it is a regular file of the user's
/// own to which nobody has written for a day, and if no process has it open for writing, which its lock tells.
package enum LeftoverFiles {
    /// The time in seconds without a write after which a file is one that was left.
    package static let usualAge: TimeInterval = 86_400
    /// The largest numbers of names that are looked at and of files that are removed at once.
    private static let (mostNames, mostRemoved) = (100_000, 10_000)
    /// The folders in which this process has looked: once is enough, and a folder may have many files. It is a cache
    /// without an effect on what is written.
    private static let seen = Mutex<Set<String>>([])
    private static let (suffix, mostSeen) = (".tmp", 10_000)

    /// A temporary name that no other file has: hidden, ending in `.tmp`, not too long where the final name is not.
    static func temporaryName(for name: String) -> String {
        var stem = name
        while stem.utf8.count > 100 { stem.removeLast() }
        return ".\(stem).\(UUID().uuidString)\(suffix)"
    }

    /// Whether a name is one that ``temporaryName(for:)`` makes.
    package static func isTemporaryName(_ name: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(suffix) else { return false }
        let parts = name.dropFirst().dropLast(suffix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let last = parts.last, !parts.dropLast().allSatisfy(\.isEmpty) else { return false }
        return UUID(uuidString: String(last)).map { $0.uuidString == last } ?? false
    }

    /// Removes the files that were left in a folder, at most a bounded number; what cannot be removed stays.
    ///
    /// - Parameters:
    ///   - folder: the folder; those in it are not looked at.
    ///   - age: the time without a write in seconds.
    ///   - now: the time.
    /// - Returns: the number of files that were removed.
    @discardableResult
    package static func remove(in folder: URL, olderThan age: TimeInterval = usualAge, now: Date = Date()) -> Int {
        var (seen, removed) = (0, 0)
        try? FilePlace.visit(folder) { name throws(FileError) in
            if isTemporaryName(name), remove(folder.appending(path: name), before: now.addingTimeInterval(-age)) {
                removed += 1
            }
            seen += 1
            return seen < mostNames && removed < mostRemoved
        }
        return removed
    }

    /// Does the same when this process first writes in a folder.
    static func removeOnce(in folder: URL) {
        let isNew = seen.withLock { seen in seen.count < mostSeen && seen.insert(folder.path).inserted }
        if isNew { remove(in: folder) }
    }

    private static func remove(_ file: URL, before limit: Date) -> Bool {
        // Of a link it says what the link is.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let written = attributes[.modificationDate] as? Date, written < limit
        else { return false }
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Where there are no locks, the time without a write has to do.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
        return unlink(file.path) == 0
    }
}
