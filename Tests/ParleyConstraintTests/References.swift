// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConstraint
import ParleyJSON
import ParleyModelFile
import ParleyTestSupport
import ParleyTokenizer
import Testing

extension References {
    /// The real vocabularies that have been fetched.
    static let vocabularies = ["models/smollm2-135m-q4_1.gguf", "models/gemma3-270m-q4_k_m.gguf"].filter(has)

    static func tokenizer(_ path: String) throws -> Tokenizer {
        try Tokenizer(GGUFFile(contentsOf: url(path)).tokenizerDescription())
    }

    /// A file of `Goldens`, beside these tests.
    static func golden(_ name: String) throws -> JSONValue {
        let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
        return try JSONValue(parsing: Data(contentsOf: goldens.appending(path: "\(name).json")))
    }
}

/// A schema with the verdicts of an independent validator on some instances.
struct GoldenSchema: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: JSONValue
    var instances: [(value: JSONValue, isValid: Bool)]

    var testDescription: String { name }

    /// Realistic schemas.
    static let all: [GoldenSchema] = {
        let file = try? References.golden("schemas")
        return (file?["schemas"]?.array ?? []).map { entry in
            GoldenSchema(
                name: entry["name"]?.string ?? "", schema: entry["schema"] ?? nil,
                instances: (entry["instances"]?.array ?? []).map { ($0["value"] ?? nil, $0["valid"]?.bool ?? false) })
        }
    }()

    /// One schema for each use of a keyword.
    static let keywords: [GoldenSchema] = {
        let file = try? References.golden("keywords")
        let pool = file?["pool"]?.array ?? []
        return (file?["schemas"]?.array ?? []).map { entry in
            let verdicts = (entry["valid"]?.string ?? "").utf8.map { $0 == UInt8(ascii: "1") }
            return GoldenSchema(
                name: entry["schema"]?.text() ?? "", schema: entry["schema"] ?? nil,
                instances: zip(pool, verdicts).map { ($0, $1) })
        }
    }()
}
