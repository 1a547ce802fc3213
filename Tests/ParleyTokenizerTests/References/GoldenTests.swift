// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTokenizer
import Testing

/// Token ids recorded from llama.cpp by `scripts/record-tokenizer-goldens.py`.
@Suite("Token ids recorded from llama.cpp")
struct GoldenTests {
    struct Strings: Decodable {
        var base64: [Data]
    }

    struct Golden: Decodable {
        var vocabulary: String
        var preTokenizer: String?
        var addsBeginningOfText: Bool
        var addsEndOfText: Bool
        var endOfGeneration: [TokenID]
        var asText: [[TokenID]]
        /// The ids that differ from ``asText``, by index of the text.
        var parsed: [String: [TokenID]]

        init(_ name: String) throws {
            let data = try Data(contentsOf: References.goldens.appendingPathComponent(name))
            self = try JSONDecoder().decode(Golden.self, from: data)
        }

        func tokenizer() throws -> Tokenizer {
            let file = try GGUFFile(contentsOf: References.url(vocabulary))
            var description = try file.tokenizerDescription()
            description.modelName = file.modelName
            if let preTokenizer { description.algorithm = .bytePairEncoding(preTokenizer: preTokenizer) }
            return try Tokenizer(description)
        }
    }

    static let names = References.names(in: References.goldens, ending: ".json").filter { $0 != "strings.json" }

    /// Recordings of vocabularies that have no token for some bytes.
    private static let lackingBytes = ["ggml-vocab-falcon.json", "smollm2-135m-q4_1.json"]

    private func strings() throws -> [[UInt8]] {
        let data = try Data(contentsOf: References.goldens.appendingPathComponent("strings.json"))
        return try JSONDecoder().decode(Strings.self, from: data).base64.map { Array($0) }
    }

    @Test("There is a recording for each vocabulary and pre-tokenizer")
    func recordings() {
        #expect(Self.names.count == 34)
    }

    @Test("Ids are the same", .enabled(if: References.areFetched), arguments: names)
    func ids(name: String) throws {
        let golden = try Golden(name)
        let tokenizer = try golden.tokenizer()
        let strings = try strings()
        try #require(strings.count == golden.asText.count)
        for (index, text) in strings.enumerated() {
            let comment = Comment(rawValue: "\(name) \(index): \(String(decoding: text, as: UTF8.self))")
            #expect(tokenizer.encode(bytes: text) == golden.asText[index], comment)
            let parsed = golden.parsed[String(index)] ?? golden.asText[index]
            #expect(tokenizer.encode(bytes: text, specialTokens: .parsed) == parsed, comment)
        }
    }

    @Test(
        "What begins and ends a text is the same", .enabled(if: References.areFetched), arguments: names)
    func specialTokens(name: String) throws {
        let golden = try Golden(name)
        let tokenizer = try golden.tokenizer()
        #expect(tokenizer.addsBeginningOfText == golden.addsBeginningOfText)
        #expect(tokenizer.addsEndOfText == golden.addsEndOfText)
        #expect(tokenizer.endOfGeneration == Set(golden.endOfGeneration))
    }

    @Test(
        "Decoding gives back what was encoded", .enabled(if: References.areFetched),
        arguments: names.filter { !$0.hasPrefix("renamed") && !lackingBytes.contains($0) })
    func roundTrip(name: String) throws {
        let golden = try Golden(name)
        let tokenizer = try golden.tokenizer()
        // These vocabularies write the space as ▁, so a ▁ in a text is decoded as a space.
        let spellsSpaces = tokenizer.id(ofSpelling: "▁") != nil
        for text in try strings() {
            guard let text = String(validating: text, as: UTF8.self), !spellsSpaces || !text.contains("▁") else {
                continue
            }
            #expect(tokenizer.decode(tokenizer.encode(text)) == text, "\(name)")
        }
    }

    @Test(
        "Control tokens in user text stay text, in any vocabulary", .enabled(if: References.areFetched),
        arguments: names.filter { !$0.hasPrefix("renamed") })
    func controlTokensInInput(name: String) throws {
        let golden = try Golden(name)
        let tokenizer = try golden.tokenizer()
        let control = (0..<TokenID(tokenizer.vocabularySize)).filter(tokenizer.isControl)
        for id in control.prefix(300) {
            let text = tokenizer.spelling(of: id) ?? ""
            let typed = tokenizer.encode([TextSegment(text, origin: .input)])
            #expect(!typed.contains(where: tokenizer.isControl), "\(name) \(text)")
            #expect(tokenizer.encode([TextSegment(text, origin: .template)]).contains(id), "\(name) \(text)")
        }
    }

    @Test(
        "A template's marks in user text stay text, in any vocabulary, however the file declares them",
        .enabled(if: References.areFetched), arguments: names.filter { !$0.hasPrefix("renamed") })
    func marksInInput(name: String) throws {
        let tokenizer = try Golden(name).tokenizer()
        for id in 0..<TokenID(tokenizer.vocabularySize) {
            guard let text = tokenizer.spelling(of: id), text.hasPrefix("<|"), text.hasSuffix("|>"),
                text.utf8.count > 4,
                tokenizer.encode(text, specialTokens: .parsed) == [id]
            else { continue }
            let typed = tokenizer.encode([TextSegment(text, origin: .input)])
            #expect(!typed.contains(id), "\(name) \(text)")
        }
    }
}
