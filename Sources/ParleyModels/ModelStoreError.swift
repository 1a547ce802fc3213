// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What went wrong in the model library, and what to do about it.
public struct ModelStoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// No catalog entry has that name.
        public static let unknownModel = Code(description: "unknownModel")
        /// The server or the hub has no such file, repository or revision.
        public static let notFound = Code(description: "notFound")
        /// The server wants a token, or the licence to be accepted.
        public static let notAuthorized = Code(description: "notAuthorized")
        /// A manifest, or an answer of the hub, is not what it should be.
        public static let invalidManifest = Code(description: "invalidManifest")
        /// What was asked for is not the name, address or path of a model.
        public static let invalidReference = Code(description: "invalidReference")
        /// There is no file at that path.
        public static let fileNotFound = Code(description: "fileNotFound")
        /// The model would have to be fetched, and the caller forbade it.
        public static let offline = Code(description: "offline")
        /// No source could be reached or none delivered.
        public static let unreachable = Code(description: "unreachable")
        /// The disk has too little room.
        public static let diskFull = Code(description: "diskFull")
        /// What was fetched is not the file it should be.
        public static let checksumMismatch = Code(description: "checksumMismatch")
        /// The file on the server is no longer the one whose first part has come.
        public static let changed = Code(description: "changed")
        /// A file is not a model, or part of it is missing.
        public static let damagedFile = Code(description: "damagedFile")
        /// The models would take more room than they may.
        public static let quotaExceeded = Code(description: "quotaExceeded")
        /// The limit that the environment sets is none.
        public static let invalidQuota = Code(description: "invalidQuota")
        /// The model is in use by another process.
        public static let busy = Code(description: "busy")
        /// A tool that a source needs (Python, pip) is missing or failed.
        public static let toolFailed = Code(description: "toolFailed")
        /// The model directory cannot be read or written.
        public static let storageFailed = Code(description: "storageFailed")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}

extension ModelStoreError {
    /// What it means for the library that there is no answer.
    init(_ error: HTTPError) {
        self.init(.unreachable, error.message, cause: error)
    }
}

extension ModelStoreError {
    /// An error of the operating system while doing something with a file.
    static func system(_ action: String, _ url: URL, _ number: Int32) -> ModelStoreError {
        if number == ENOSPC || number == EDQUOT || number == EFBIG {
            return ModelStoreError(
                .diskFull,
                "The disk is full: \(url.deletingLastPathComponent().path) has no room left. Free some space, "
                    + "or set PARLEY_HOME to a directory on another disk.")
        }
        return ModelStoreError(
            .storageFailed,
            "Cannot \(action) \(url.path): \(String(cString: strerror(number))). Check the directory's "
                + "permissions, or set PARLEY_HOME to one that can be written.")
    }

    /// Does something with files and turns what Foundation throws into an error of the store.
    static func storing<Result>(_ action: String, _ url: URL, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is ModelStoreError) && !(error is CancellationError) {
            throw ModelStoreError(
                .storageFailed,
                "Cannot \(action) \(url.path). Check the permissions, or set PARLEY_HOME to a directory that "
                    + "can be written.", cause: error)
        }
    }
}
