// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyCommandLine
import ParleyFiles

/// A file that a command writes. Until it is complete it has a temporary name, and an existing file is kept.
package final class OutputFile {
    private let path: String
    private let mayReplace: Bool
    private let remedy: String
    private let output: Output
    /// The permissions of the file that is replaced, which the new one keeps; nil for what is new.
    private let mode: mode_t?

    private enum Output {
        case file(UnfinishedFile)
        /// What is not a regular file, such as a pipe, is written directly.
        case direct(FileHandle)
    }

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file; links are followed, as shells do.
    ///   - mayReplace: whether a file that is there already may be replaced.
    ///   - remedy: what to do where it may not.
    /// - Throws: ``CommandError`` where the file cannot be created or replaced.
    package init(path: String, mayReplace: Bool = true, remedy: String = "choose another name") throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let earlier = try? FileManager.default.attributesOfItem(atPath: target.path)
        let type = earlier?[.type] as? FileAttributeType
        if type != nil, !mayReplace { throw Self.exists(path, remedy) }
        mode = (earlier?[.posixPermissions] as? NSNumber).map { mode_t(truncatingIfNeeded: $0.intValue) }
        do {
            if type == nil || type == .typeRegular {
                // Others may read what a command writes, as far as the process's mask lets them.
                output = .file(try UnfinishedFile(for: target, mode: type == nil ? 0o666 : 0o600))
            } else {
                output = .direct(try FileHandle(forWritingTo: target))
            }
        } catch {
            throw Self.failure(path, error)
        }
        (self.path, self.mayReplace, self.remedy) = (path, mayReplace, remedy)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError``.
    package func write(_ data: Data) throws {
        do {
            switch output {
            case .file(let file): try file.append(data)
            case .direct(let handle): try handle.write(contentsOf: data)
            }
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Gives the complete file its final name.
    ///
    /// - Throws: ``CommandError``.
    package func finish() throws {
        guard case .file(let file) = output else { return }
        do {
            try file.publish(mode: mode, replacing: mayReplace ? .allowed : .forbidden)
        } catch {
            throw error.code == .exists ? Self.exists(path, remedy) : Self.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ cause: any Error) -> CommandError {
        guard let error = cause as? FileError else {
            return CommandError("Cannot write \(path). Check what it is, and its permissions.", cause: cause)
        }
        let remedy = error.code == .noSpace ? "Free some space." : "Check the directory and its permissions."
        return CommandError("\(error.message) \(remedy)", cause: error)
    }

    private static func exists(_ path: String, _ remedy: String) -> CommandError {
        CommandError("\(path) exists already; \(remedy).")
    }
}
