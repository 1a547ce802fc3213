// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where files are: what links lead to, and what folders contain.
package enum FilePlace {
    /// What a name in a folder stands for, after following links.
    package enum Kind: Sendable {
        case file, folder
        /// A device, a pipe or something else without contents of its own.
        case other
    }

    /// The place of a file without links in its path, also of one that does not exist yet.
    ///
    /// Foundation's `resolvingSymlinksInPath` returns the path of a file that does not exist as it is, links included.
    ///
    /// - Throws: ``FileError`` with code `notFound` for a link that leads nowhere or a path through a file, or `failed`.
    package static func real(_ url: URL) throws(FileError) -> URL {
        var existing = url.standardizedFileURL
        var missing: [String] = []
        while true {
            if let path = realpath(existing.path, nil) {
                defer { free(path) }
                let place = URL(filePath: String(cString: path))
                return missing.reversed().reduce(place) { $0.appending(path: $1, directoryHint: .notDirectory) }
            }
            let number = errno
            if number == ENOENT, (try? isLink(existing)) == true {
                throw FileError(.notFound, "Cannot find \(url.path): \(existing.path) is a link that leads nowhere.")
            }
            var status = stat()
            guard number == ENOENT, existing.path != "/", lstat(existing.path, &status) != 0, errno == ENOENT else {
                throw FileError("find", url, number)
            }
            missing.append(existing.lastPathComponent)
            existing.deleteLastPathComponent()
        }
    }

    /// Creates a folder, and those above it that are missing; nothing happens if it is there.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - mode: the permissions of what is created, of which the process's mask is taken away.
    /// - Throws: ``FileError``.
    package static func create(_ folder: URL, mode: mode_t = 0o777) throws(FileError) {
        if mkdir(folder.path, mode) == 0 { return }
        var number = errno
        let parent = folder.deletingLastPathComponent()
        if number == ENOENT, parent.path.utf8.count < folder.path.utf8.count {
            try create(parent, mode: mode)
            if mkdir(folder.path, mode) == 0 { return }
            number = errno
        }
        // For one that is there, the system may also say that nothing can be created in its place.
        guard (try? kind(of: folder)) == .folder else { throw FileError("create", folder, number) }
    }

    /// Whether a file is in a folder or below it; both are places without links, as ``real(_:)`` returns them.
    package static func contains(_ folder: URL, _ file: URL) -> Bool {
        let root = folder.path
        return file.path.utf8.starts(with: (root.hasSuffix("/") ? root : root + "/").utf8)
    }

    /// What a path leads to; nil if there is nothing, or a link that leads nowhere.
    ///
    /// - Throws: ``FileError`` if the system does not say, for example for lack of permission.
    package static func kind(of url: URL) throws(FileError) -> Kind? {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
            throw FileError("read", url, errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Whether there certainly is nothing at a path, not even a link that leads nowhere.
    package static func isMissing(_ url: URL) -> Bool {
        var status = stat()
        return lstat(url.path, &status) != 0 && errno == ENOENT
    }

    /// Whether a path is that of a link; false if there is nothing.
    ///
    /// - Throws: ``FileError`` if the system does not say.
    package static func isLink(_ url: URL) throws(FileError) -> Bool {
        var status = stat()
        if lstat(url.path, &status) == 0 { return status.st_mode & S_IFMT == S_IFLNK }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileError("read", url, errno) }
        return false
    }

    /// What the system knows of the file to which a path leads; nil if there certainly is none.
    ///
    /// A check whether a file is there must not take an error for its absence: what then seems to be free is replaced,
    /// and what seems to be gone is forgotten.
    ///
    /// - Throws: ``FileError`` if the system does not say, for example for lack of permission.
    package static func status(of url: URL) throws(FileError) -> stat? {
        var status = stat()
        if stat(url.path, &status) == 0 { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileError("read", url, errno) }
        return nil
    }

    /// The names in a folder, without its own and its parent's, in any order.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - limit: the largest number of names to accept; no more are read.
    /// - Returns: the names.
    /// - Throws: ``FileError`` with code `notFound`, `tooLarge` or `failed`.
    package static func names(in folder: URL, limit: Int) throws(FileError) -> [String] {
        var names: [String] = []
        try visit(folder) { name throws(FileError) in
            guard names.count < limit else {
                throw FileError(.tooLarge, "The folder \(folder.path) has more than \(limit) files.")
            }
            names.append(name)
            return true
        }
        return names
    }

    /// Calls a function with each name in a folder but its own and its parent's, in any order, until it returns false.
    ///
    /// - Throws: ``FileError`` with code `notFound` or `failed`; the function's error.
    static func visit(_ folder: URL, _ body: (String) throws(FileError) -> Bool) throws(FileError) {
        guard let stream = opendir(folder.path) else { throw FileError("list", folder, errno) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileError("list", folder, errno) }
                return
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name == "." || name == ".." { continue }
            guard try body(name) else { return }
        }
    }
}
