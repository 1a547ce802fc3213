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
        let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
        if type != nil, !mayReplace { throw Self.exists(path, remedy) }
        do {
            if type == nil || type == .typeRegular {
                // Others may read what a command writes, as far as the process's mask lets them.
                output = .file(try UnfinishedFile(for: target, mode: 0o666))
            } else {
                output = .direct(try FileHandle(forWritingTo: target))
            }
        } catch {
            throw CommandError("Cannot write \(path). Check the directory and its permissions.", cause: error)
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
            throw failure(error)
        }
    }

    /// Gives the complete file its final name.
    ///
    /// - Throws: ``CommandError``.
    package func finish() throws {
        guard case .file(let file) = output else { return }
        do {
            try file.publish(mode: nil, replacing: mayReplace ? .allowed : .forbidden)
        } catch {
            throw error.code == .exists ? Self.exists(path, remedy) : failure(error)
        }
    }

    private func failure(_ cause: (any Error)?) -> CommandError {
        CommandError("Cannot write \(path): the disk may be full.", cause: cause)
    }

    private static func exists(_ path: String, _ remedy: String) -> CommandError {
        CommandError("\(path) exists already; \(remedy).")
    }
}
