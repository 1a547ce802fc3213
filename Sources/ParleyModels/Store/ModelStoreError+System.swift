// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ModelStoreError {
    /// An error of the operating system while doing something with a file.
    static func system(_ action: String, _ url: URL, _ number: Int32) -> ModelStoreError {
        if number == ENOSPC || number == EDQUOT || number == EFBIG {
            return ModelStoreError(
                code: .diskFull,
                message: "The disk is full: \(url.deletingLastPathComponent().path) has no room left. Free some space, "
                    + "or set PARLEY_HOME to a directory on another disk.")
        }
        return ModelStoreError(
            code: .storageFailed,
            message: "Cannot \(action) \(url.path): \(String(cString: strerror(number))). Check the directory's "
                + "permissions, or set PARLEY_HOME to one that can be written.")
    }

    /// Does something with files and turns what Foundation throws into an error of the store.
    static func storing<Result>(_ action: String, _ url: URL, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is ModelStoreError) && !(error is CancellationError) {
            throw ModelStoreError(
                code: .storageFailed,
                message: "Cannot \(action) \(url.path). Check the permissions, or set PARLEY_HOME to a directory that "
                    + "can be written.", cause: error)
        }
    }
}
