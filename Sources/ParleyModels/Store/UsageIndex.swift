// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

/// When models were last used. The index is rebuilt from the models where it is damaged or missing.
struct UsageIndex: Codable, Sendable, Hashable {
    /// The version of the format.
    var version = 1
    /// When each model was last used, by the name of its directory.
    var lastUsed: [String: Date] = [:]

    /// Reads the index; nil where it is missing or damaged.
    static func read(from url: URL) -> UsageIndex? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let data = try? WholeFile.contents(of: url, limit: 8 << 20),
            let index = try? decoder.decode(UsageIndex.self, from: data),
            index.version == 1
        else { return nil }
        return index
    }

    /// Replaces the index atomically.
    func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(self)
        try ModelStoreError.storing("write", url) { try WholeFile.write(data, to: url, mode: 0o644) }
    }
}
