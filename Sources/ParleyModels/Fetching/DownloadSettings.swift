// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile

/// How files are downloaded.
package struct DownloadSettings: Sendable {
    /// How many parts of a file are asked for at once.
    package var connections = 4
    /// The length of a part; nil chooses by the size of the file.
    package var chunkSize: ByteSize?
    /// How long a web server may take to answer before the next source is tried.
    package var impatientTimeout = Duration.seconds(5)
    /// How long a web server may take to answer where there is no other source.
    package var patientTimeout = Duration.seconds(30)
    /// What happens when a server fails.
    package var retries = RetryPolicy()

    /// Creates settings.
    package init() {}

    /// The length of the parts of a file. Each costs a request, and redirects double that; but the digest can follow only
    /// what has come without a gap, and what has come of a part waits in memory.
    func chunkSize(of byteCount: ByteSize?) -> ByteSize {
        chunkSize ?? ByteSize(clamping: (byteCount ?? .zero).bytes >= 1 << 30 ? 16 << 20 : 8 << 20)
    }
}
