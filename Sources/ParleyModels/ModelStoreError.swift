// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An error of the model library: what happened and how to remedy it.
public struct ModelStoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. Later versions may add kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// No catalog entry has that name.
        public static let unknownModel = Code(description: "unknownModel")
        /// The server or the hub has no such file, repository or revision.
        public static let notFound = Code(description: "notFound")
        /// The server requires a token, or the model's licence was not accepted there.
        public static let notAuthorized = Code(description: "notAuthorized")
        /// A manifest, or a response of the hub, is malformed.
        public static let invalidManifest = Code(description: "invalidManifest")
        /// The text is not a valid name, address or path of a model.
        public static let invalidReference = Code(description: "invalidReference")
        /// Another model in the store has the name.
        public static let nameTaken = Code(description: "nameTaken")
        /// There is no file at the given path.
        public static let fileNotFound = Code(description: "fileNotFound")
        /// The model would have to be downloaded, but the caller forbade using the network.
        public static let offline = Code(description: "offline")
        /// No source could be reached, or none of them delivered the file.
        public static let unreachable = Code(description: "unreachable")
        /// There is not enough free space on the disk.
        public static let diskFull = Code(description: "diskFull")
        /// A downloaded file has another digest or size than it should.
        public static let checksumMismatch = Code(description: "checksumMismatch")
        /// The file changed on the server after part of it was downloaded.
        public static let changed = Code(description: "changed")
        /// A file is not a model file, or is incomplete.
        public static let damagedFile = Code(description: "damagedFile")
        /// The models would exceed the store's size limit.
        public static let quotaExceeded = Code(description: "quotaExceeded")
        /// The size limit in the environment is not a valid size.
        public static let invalidQuota = Code(description: "invalidQuota")
        /// Another process is changing the store or the model.
        public static let busy = Code(description: "busy")
        /// A tool that the source needs (Python, pip) is missing or failed.
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
    /// Converts the error of a request without response.
    init(_ error: HTTPError) {
        self.init(.unreachable, error.message, cause: error)
    }
}

extension ModelStoreError {
    /// The error for a path at which there is nothing, something that cannot be reached, or what is no model.
    static func noModel(at url: URL) -> ModelStoreError {
        var status = stat()
        let number = stat(url.path, &status) == 0 ? 0 : errno
        let message =
            switch (number, status.st_mode & S_IFMT) {
            case (0, S_IFDIR):
                "\(url.path) is a directory without config.json. Name a .gguf file inside it, or a folder in the form of "
                    + "Hugging Face."
            case (0, _): "\(url.path) is not a file. Name a .gguf file, or a folder in the form of Hugging Face."
            case (ENOENT, _), (ENOTDIR, _): "There is no file \(url.path). Check the path."
            default: "\(FileError("open", url, number)) Check the permissions of the folders on its path."
            }
        return ModelStoreError(.fileNotFound, message)
    }

    /// The error for a file outside the store that cannot be read.
    static func unreadable(_ url: URL, _ cause: any Error) -> ModelStoreError {
        var error =
            RegularFile.size(of: url) == nil
            ? noModel(at: url) : ModelStoreError(.fileNotFound, "\(url.path) cannot be read. Check its permissions.")
        error.cause = cause
        return error
    }

    /// Reads a file outside the store, and converts the errors that Foundation throws.
    static func reading<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is ModelStoreError) && !(error is CancellationError) {
            throw unreadable(url, error)
        }
    }

    /// The error for a disk without room for what was to be written into a directory.
    private static func diskFull(_ directory: URL) -> ModelStoreError {
        ModelStoreError(
            .diskFull,
            "The disk is full: \(directory.path) has no room left. Free some space, or set PARLEY_HOME to a directory on "
                + "another disk.")
    }

    /// The error for an operation on a file that failed with the `errno` value `number`.
    static func system(_ action: String, _ url: URL, _ number: Int32) -> ModelStoreError {
        ModelStoreError(FileError(action, url, number), at: url)
    }

    /// Adds what can be done about the error of a file in the store.
    init(_ error: FileError, at url: URL) {
        if error.code == .noSpace {
            self = .diskFull(url.deletingLastPathComponent())
        } else {
            self.init(
                .storageFailed,
                error.message + " Check the directory's permissions, or set PARLEY_HOME to one that can be written.")
        }
    }

    /// Runs file operations and converts the errors that Foundation throws.
    static func storing<Result>(_ action: String, _ url: URL, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is ModelStoreError) && !(error is CancellationError) {
            if (error as? CocoaError)?.code == .fileWriteOutOfSpace { throw diskFull(url.deletingLastPathComponent()) }
            throw ModelStoreError(
                .storageFailed,
                "Cannot \(action) \(url.path). Check the permissions, or set PARLEY_HOME to a directory that "
                    + "can be written.", cause: error)
        }
    }
}
