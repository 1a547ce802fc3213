// SPDX-License-Identifier: Apache-2.0

import ParleySpeech

/// The sizes of a Whisper model, checked so that no product of them can overflow.
struct WhisperDimensions: Sendable, Hashable {
    /// The number of tokens, time stamps and control tokens included.
    let vocabularySize: Int
    /// The positions of the encoder's window, 50 a second.
    let audioContext: Int
    /// The number of values in a hidden state of the encoder and of the decoder.
    let width: Int
    let audioHeads: Int
    let audioLayers: Int
    /// The positions of the decoder.
    let textContext: Int
    let textHeads: Int
    let textLayers: Int
    /// The bands of the spectrum.
    let mels: Int

    /// Checks the sizes that a file declares.
    ///
    /// - Throws: `SpeechError` with code `unsupportedModel`.
    init(
        file: String, vocabularySize: Int, audioContext: Int, audioWidth: Int, audioHeads: Int, audioLayers: Int,
        textContext: Int, textWidth: Int, textHeads: Int, textLayers: Int, mels: Int
    ) throws(SpeechError) {
        func check(_ name: String, _ value: Int, _ allowed: ClosedRange<Int>) throws(SpeechError) {
            guard allowed.contains(value) else {
                throw SpeechError(
                    .unsupportedModel,
                    "\(file): \(name) is \(value), outside \(allowed.lowerBound) to \(allowed.upperBound). The file is "
                        + "damaged or no Whisper model; download it again.")
            }
        }
        try check("the number of tokens", vocabularySize, WhisperTokens.vocabularySizes)
        try check("the length of the window", audioContext, 1_500...1_500)
        try check("the width of the encoder", audioWidth, 32...8_192)
        try check("the width of the decoder", textWidth, audioWidth...audioWidth)
        try check("the remainder of the width by 32", audioWidth % 32, 0...0)
        try check("the number of layers of the encoder", audioLayers, 1...128)
        try check("the number of layers of the decoder", textLayers, 1...128)
        try check("the length of texts", textContext, 64...4_096)
        try check("the number of bands", mels, 1...1_024)
        for (name, heads) in [("encoder", audioHeads), ("decoder", textHeads)] {
            try check("the number of heads of the \(name)", heads, 1...audioWidth)
            try check("the remainder of the width by the heads of the \(name)", audioWidth % heads, 0...0)
            try check("the remainder of the heads' width in the \(name) by 8", audioWidth / heads % 8, 0...0)
        }
        (self.vocabularySize, self.audioContext, width) = (vocabularySize, audioContext, audioWidth)
        (self.audioHeads, self.audioLayers) = (audioHeads, audioLayers)
        (self.textContext, self.textHeads, self.textLayers) = (textContext, textHeads, textLayers)
        self.mels = mels
    }

    /// The width of the layers between the two products of a feed-forward part.
    var innerWidth: Int { 4 * width }
}
