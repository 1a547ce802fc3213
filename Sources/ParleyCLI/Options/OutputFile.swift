// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A file that a command writes. It is called `NAME.part` until it is complete; a former file is kept until then.
package final class OutputFile {
    private let path: String
    /// The final place. Links are followed, as shells do.
    private let target: URL
    /// Where the bytes go; nil where the target is no plain file, such as a pipe, which gets them as they come.
    private let partial: URL?
    private let mayReplace: Bool
    private let handle: FileHandle

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: where the file is to be.
    ///   - mayReplace: whether a file that is there already may be replaced.
    /// - Throws: ``CommandError`` where the file cannot be created or replaced.
    package init(path: String, mayReplace: Bool = true) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
        if type != nil, !mayReplace { throw Self.exists(path) }
        let partial = type == nil || type == .typeRegular ? target.appendingPathExtension("part") : nil
        do {
            if let partial { try Data().write(to: partial) }
            handle = try FileHandle(forWritingTo: partial ?? target)
        } catch {
            throw CommandError("Cannot write \(path). Check the directory and its permissions.", cause: error)
        }
        (self.path, self.target, self.partial, self.mayReplace) = (path, target, partial, mayReplace)
    }

    deinit {
        // A finished file no longer has this name.
        if let partial { try? FileManager.default.removeItem(at: partial) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError``.
    package func write(_ data: Data) throws {
        do {
            try handle.write(contentsOf: data)
        } catch {
            throw failure(error)
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: ``CommandError``.
    package func finish() throws {
        guard let partial else { return }
        do {
            try handle.synchronize()
            try handle.close()
        } catch {
            throw failure(error)
        }
        if !mayReplace, FileManager.default.fileExists(atPath: target.path) { throw Self.exists(path) }
        guard rename(partial.path, target.path) == 0 else { throw failure(nil) }
    }

    private func failure(_ cause: (any Error)?) -> CommandError {
        CommandError("Cannot write \(path): the disk may be full.", cause: cause)
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError("\(path) exists already; choose another name.")
    }
}
