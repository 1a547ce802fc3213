// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles

/// What is known of the items of a collection that are both in its folder and on its server.
///
/// A file that differs from its record was changed here, an entity tag that differs was changed there. So no list of
/// changes to send has to be kept: the folder itself is it, and other programs may write there too. A record is written
/// after both sides have the content; if the program ends before that, the next synchronisation finds both the same.
package struct MirrorState: Hashable, Sendable, Codable {
    /// An item as both sides had it last.
    package struct Record: Hashable, Sendable, Codable {
        /// The path on the server, as it is sent.
        package var href: String
        /// The entity tag; nil if the server gave none.
        package var etag: String?
        /// The digest of the file's content; nil for an item that is not in the folder, as it cannot be kept there.
        package var hash: String?

        /// Creates a record.
        package init(href: String, etag: String?, hash: String?) {
            (self.href, self.etag, self.hash) = (href, etag, hash)
        }

        /// The path on the server; nil for a record that is damaged.
        package var path: DAVPath? { URL(string: "http://localhost").flatMap { DAVPath(href: href, on: $0) } }
    }

    /// The mark of the folder to which the records belong.
    package var mark = ""
    /// The token with which to ask the server for what changed.
    package var token: String?
    /// The records, by the names of the files.
    package var records: [String: Record] = [:]
    /// The digests of the contents that are about to be sent, by the names of the files: if the program ends after the
    /// server has taken one and before that is recorded, it is known as ours, even if the file has changed again.
    package var sending: [String: String] = [:]

    /// Creates a state without records.
    package init() {}

    /// The largest file that is read.
    private static let limit = 128 << 20

    /// Reads a state; a missing or damaged one is empty, after which everything is compared anew.
    package init(at file: URL) {
        self.init()
        guard let data = try? WholeFile.contents(of: file, limit: Self.limit),
            let state = try? JSONDecoder().decode(Self.self, from: data)
        else { return }
        self = state
    }

    /// Writes the state.
    ///
    /// - Throws: ``FileError``.
    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try WholeFile.write(try encoder.encode(self), to: file)
    }
}
