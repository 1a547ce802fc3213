// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The error of a file that cannot be read, written or locked.
package struct FileError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// There is no such file or directory.
        package static let notFound = Code(description: "notFound")
        /// There is a file of that name already.
        package static let exists = Code(description: "exists")
        /// The file is larger than the limit.
        package static let tooLarge = Code(description: "tooLarge")
        /// It is a directory, a device or something else that is not a regular file.
        package static let notRegular = Code(description: "notRegular")
        /// Others than its user may read or change a file that has a secret.
        package static let exposed = Code(description: "exposed")
        /// The disk is full, or the user's share of it.
        package static let noSpace = Code(description: "noSpace")
        /// The system refused: permissions, a failing device.
        package static let failed = Code(description: "failed")
    }

    /// What kind of failure it is.
    package var code: Code
    /// What happened and what to do.
    package var message: String
    /// The underlying error, if any.
    package var cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The error of a system call.
    ///
    /// - Parameters:
    ///   - action: what was tried, such as `read`.
    ///   - url: the file.
    ///   - number: the system's error number, `errno`.
    package init(_ action: String, _ url: URL, _ number: Int32) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .notFound
            case EEXIST: .exists
            case EISDIR: .notRegular
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            default: .failed
            }
        self.init(code, "Cannot \(action) \(url.path): \(String(cString: strerror(number))).")
    }

    /// The message.
    package var description: String { message }
}
