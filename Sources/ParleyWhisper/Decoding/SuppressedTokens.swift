// SPDX-License-Identifier: Apache-2.0

/// The tokens that never belong to what someone said: remarks such as `[`, `♪` or `(`, which begin descriptions of music
/// and silence, and control tokens.
package enum SuppressedTokens {
    /// The tokens for a vocabulary.
    ///
    /// - Parameters:
    ///   - pieces: the bytes of each token of text.
    ///   - tokens: the control tokens.
    ///   - declared: what the model's file says of it.
    /// - Returns: the tokens, ascending.
    package static func ids(pieces: [[UInt8]], tokens: WhisperTokens, declared: [Int32]?) -> [Int32] {
        // Remarks in brackets are written in many ways; without the bracket none begins.
        var ids = remarks(pieces)
        for id in declared ?? [] where id >= 0 && id < tokens.endOfText { ids.insert(id) }
        // All control tokens but the end and the one for texts without time stamps.
        for id in tokens.start...tokens.noSpeech { ids.insert(id) }
        return ids.sorted()
    }

    /// The tokens of text that spell a remark's beginning, with or without a space before it.
    private static func remarks(_ pieces: [[UInt8]]) -> Set<Int32> {
        var texts: Set<[UInt8]> = []
        for symbol in single + doubled.split(separator: " ").map(String.init) + notes {
            texts.insert(Array(symbol.utf8))
            texts.insert([0x20] + Array(symbol.utf8))
        }
        // A dash or quotation mark within a text is none.
        texts.formUnion([Array(" -".utf8), Array(" '".utf8)])
        // Rare notes are spelled by tokens for their first two bytes, which other rare symbols share.
        for prefix in ["♩", "♪", "♫", "♬", "♭", "♮", "♯"].map({ Array($0.utf8.prefix(2)) }) {
            texts.insert(prefix)
            texts.insert([0x20] + prefix)
        }
        var ids: Set<Int32> = []
        for (id, piece) in pieces.enumerated() where texts.contains(piece) { ids.insert(Int32(id)) }
        return ids
    }

    private static let single = "\"#()*+/:;<=>@[\\]^_`{|}~「」『』".map(String.init)
    private static let doubled = "<< >> <<< >>> -- --- -( -[ (' (\" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪"
    private static let notes = ["♩", "♪", "♫", "♬", "♭", "♮", "♯"]
}
