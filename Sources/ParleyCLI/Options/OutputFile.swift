// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles

/// A file that a command writes. Until it is complete it has a name that no other file has, `NAME.UUID.part`, and an
/// existing file is kept.
package final class OutputFile {
    private let path: String
    /// The final location. Links are followed, as shells do.
    private let target: URL
    /// The temporary file; nil if the target is not a regular file, such as a pipe, which is written directly.
    private let partial: URL?
    private let mayReplace: Bool
    private let handle: FileHandle

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - mayReplace: whether a file that is there already may be replaced.
    /// - Throws: ``CommandError`` where the file cannot be created or replaced.
    package init(path: String, mayReplace: Bool = true) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
        if type != nil, !mayReplace { throw Self.exists(path) }
        let partial =
            type == nil || type == .typeRegular ? target.appendingPathExtension("\(UUID().uuidString).part") : nil
        do {
            if let partial { try Data().write(to: partial, options: .withoutOverwriting) }
            handle = try FileHandle(forWritingTo: partial ?? target)
        } catch {
            throw CommandError("Cannot write \(path). Check the directory and its permissions.", cause: error)
        }
        (self.path, self.target, self.partial, self.mayReplace) = (path, target, partial, mayReplace)
    }

    deinit {
        // Removes an unfinished file; a finished one has been renamed.
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

    /// Renames the complete file to its final name.
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
        do {
            try WholeFile.publish(partial, as: target, replacing: mayReplace ? .allowed : .forbidden)
        } catch {
            throw error.code == .exists ? Self.exists(path) : failure(error)
        }
    }

    private func failure(_ cause: (any Error)?) -> CommandError {
        CommandError("Cannot write \(path): the disk may be full.", cause: cause)
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError("\(path) exists already; choose another name.")
    }
}
