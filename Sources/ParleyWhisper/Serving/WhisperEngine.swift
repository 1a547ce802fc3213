// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySpeech
package import ParleySystem
package import ParleyTensor

/// A loaded network with its rules: sound to tokens.
///
/// `@unchecked Sendable`: only the model's thread uses it.
package final class WhisperEngine: @unchecked Sendable {
    let tokens: WhisperTokens
    package let pieces: TextPieces
    private let encoder: AudioEncoder
    private let decoder: WindowDecoder
    private let suppressed: [Int32]
    private let blanks: [Int32]
    private let vocabularySize: Int
    private let textContext: Int
    private let alignmentHeads: [(layer: Int, head: Int)]
    private let pool: WorkerPool
    /// The promise of the scratch memory, which longer sound than before writes to.
    private let scratch: MemoryReservation?
    private let ledger: MemoryLedger
    /// What the decoder hears, and how long it took to compute that.
    private var heard: (samples: [Float], positions: AudioPositions, time: Duration)?

    /// Loads the network of a file.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - pool: the threads that compute together.
    ///   - isExact: whether floats are kept as they are, and not quantised to 8 bits.
    ///   - scratch: the reservation of the scratch memory, which the engine keeps.
    ///   - ledger: where the memory is reserved that some requests take beside the model's.
    ///   - isCancelled: called before each tensor; if it returns true, loading throws `CancellationError`.
    /// - Throws: `SpeechError`; `AllocationError`; `CancellationError`.
    package init(
        _ file: WhisperFile, pool: WorkerPool, isExact: Bool, scratch: MemoryReservation? = nil,
        ledger: MemoryLedger = .process, isCancelled: @escaping () -> Bool = { false }
    ) throws {
        let dimensions = file.dimensions
        (self.pool, self.scratch, self.ledger) = (pool, scratch, ledger)
        try pool.reserve(
            positions: max(dimensions.audioContext, dimensions.textContext),
            columns: max(dimensions.innerWidth, 3 * dimensions.width))
        let loader = WeightLoader(file, pool: pool, isExact: isExact, isCancelled: isCancelled)
        let memory = try ScratchMemory(dimensions, lanes: pool.laneCount)
        encoder = try AudioEncoder(loader, scratch: memory)
        tokens = WhisperTokens(vocabularySize: dimensions.vocabularySize)
        decoder = WindowDecoder(
            decoder: try TextDecoder(loader, scratch: memory), tokens: tokens, instructionSet: pool.instructionSet,
            textContext: dimensions.textContext)
        pieces = TextPieces(file.pieces)
        vocabularySize = dimensions.vocabularySize
        suppressed = SuppressedTokens.ids(pieces: file.pieces, tokens: tokens, declared: file.suppressed)
        textContext = dimensions.textContext
        // Where the file names no heads, those of the upper half of the layers follow the words best.
        let upper = (dimensions.textLayers / 2..<dimensions.textLayers).flatMap { layer in
            (0..<dimensions.textHeads).map { (layer: layer, head: $0) }
        }
        let named = file.alignmentHeads?.filter {
            0..<dimensions.textLayers ~= $0.layer && 0..<dimensions.textHeads ~= $0.head
        }
        alignmentHeads = named.flatMap { $0.isEmpty ? nil : Array($0.prefix(32)) } ?? Array(upper.prefix(32))
        blanks = [tokens.endOfText] + pieces.ids(spelled: " ")
    }

    /// Runs the encoder, and lets the decoder hear what it made of the sound, unless it has heard just that.
    ///
    /// - Returns: how long that took, also where it was for an earlier request: a recording's language and its text are
    ///   asked for one after the other.
    @discardableResult
    func listen(_ samples: [Float], _ positions: AudioPositions, check: () throws -> Void) throws -> Duration {
        if let heard, heard.positions == positions, heard.samples == samples { return heard.time }
        heard = nil
        let clock = ContinuousClock()
        let began = clock.now
        let bias = try Self.keyBias(positions)
        let states = try samples.withUnsafeBufferPointer {
            try encoder.run($0, keeping: positions, keyBias: bias, check: check)
        }
        scratch?.reached(positions.count, of: AudioPositions.window)
        try decoder.decoder.hear(states, keyBias: bias, check: check)
        let time = clock.now - began
        heard = (samples, positions, time)
        return time
    }

    /// The states of the encoder, `[positions][width]`, for comparisons.
    package func states(_ samples: [Float], _ positions: AudioPositions) throws -> [[Float]] {
        let bias = try Self.keyBias(positions)
        let rows = try samples.withUnsafeBufferPointer {
            try encoder.run($0, keeping: positions, keyBias: bias, check: {})
        }
        return (0..<rows.count).map { Array(UnsafeBufferPointer(start: rows.row($0), count: rows.width)) }
    }

    /// The logits after each of some tokens, which follow the sound, for comparisons.
    ///
    /// - Parameters:
    ///   - tokens: the tokens, from the beginning of the text.
    ///   - samples: the sound.
    ///   - positions: which positions of it are computed.
    /// - Returns: a row for each token.
    /// - Throws: what ``states(_:_:)`` throws.
    package func logits(
        _ tokens: [Int32], after samples: [Float], _ positions: AudioPositions
    ) throws -> [[Float]] {
        try listen(samples, positions, check: {})
        // One step for the beginning, then one for each token, as in decoding.
        var logits: [[Float]] = []
        for (index, token) in tokens.enumerated() {
            let rows = decoder.decoder.decode([token], at: index, outputs: [0])
            logits.append(Array(UnsafeBufferPointer(start: rows.row(0), count: rows.width)))
        }
        return logits
    }

    /// What is added to the scores of the positions' keys, with room for whole panels.
    private static func keyBias(_ positions: AudioPositions) throws -> AlignedBuffer? {
        guard let values = positions.keyBias else { return nil }
        let buffer = try AlignedBuffer(zeroedFloats: (values.count + 15) / 16 * 16)
        buffer.floats.update(from: values, count: values.count)
        return buffer
    }

    /// When tokens of what was heard last were spoken.
    ///
    /// - Parameters:
    ///   - text: the tokens, without time stamps.
    ///   - prompt: with what they were decoded.
    ///   - positions: how many positions the sound has.
    ///   - check: called before each step; what it throws ends the search.
    /// - Returns: the position at which each token begins, and that at which the last one ends; empty if there are more
    ///   tokens than the decoder takes.
    /// - Throws: what `check` throws; `AllocationError`; `SpeechError` with code `insufficientMemory`.
    func align(
        _ text: [Int32], _ prompt: WindowDecoder.Prompt, positions: Int, check: () throws -> Void
    ) throws -> [Int] {
        var prompt = prompt
        (prompt.hints, prompt.previous, prompt.prefix, prompt.hasTimestamps) = ([], [], [], false)
        let (beginning, _) = prompt.tokens(tokens, most: 0)
        let all = beginning + text
        guard !text.isEmpty, all.count <= textContext else { return [] }
        try check()
        let decoder = decoder.decoder
        let positions = min(positions, decoder.soundPositions)
        let bytes =
            decoder.weightsByteCount(heads: alignmentHeads.count, tokens: all.count)
            + WordAlignment.byteCount(tokens: all.count, positions: positions)
        let reservation = try ledger.reserve(
            ByteSize(clamping: bytes), for: "To tell when words were spoken",
            remedy: "Ask for the times of segments alone")
        let weights = try decoder.weights(of: alignmentHeads, tokens: all)
        reservation.reached(1, of: 1)
        return try withExtendedLifetime(weights.memory) {
            // The row of each token is that of the one before it, which wrote it.
            let heads = weights.heads.lazy.map { rows in
                (beginning.count - 1..<rows.count).map {
                    Array(UnsafeBufferPointer(start: rows.row($0), count: positions))
                }
            }
            return Array(
                try WordAlignment.boundaries(heads, positions: positions, check: check).prefix(text.count + 1))
        }
    }

    /// The most likely language of what was heard last.
    func language() -> (language: String, probability: Double) {
        guard tokens.isMultilingual else { return ("en", 1) }
        let (index, probability) = decoder.language()
        return (tokens.languages[index], probability)
    }

    /// Decodes what was heard last, following so many texts at once at the temperature 0.
    func decode(
        _ prompt: WindowDecoder.Prompt, temperature: Double, beams: Int = 1, most: Int, check: () throws -> Void
    ) throws -> DecodedWindow {
        let rules = TokenRules(
            tokens: tokens, vocabularySize: vocabularySize, suppressed: suppressed, blanks: blanks,
            hasTimestamps: prompt.hasTimestamps)
        if temperature == 0, let search = BeamSearch(decoder, size: beams, ledger: ledger) {
            return try search.decode(prompt, rules: rules, most: most, check: check)
        }
        return try decoder.decode(prompt, rules: rules, temperature: temperature, most: most, check: check)
    }
}
