// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyRuntime
import ParleySystem
import ParleyTensor
public import ParleyTesting
import ParleyTestSupport
import ParleyTokenizer
public import Testing

extension NativeModel {
    /// Loads a model from a file that exists only during loading.
    static func load(
        _ writer: GGUFWriter, context: Int? = nil, threads: Int = 1, instructionSet: InstructionSet = .best,
        locksMemory: Bool = false, ledger: MemoryLedger = .process, cacheMemory: Int? = nil,
        cacheType: CacheType = .f16,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> NativeModel {
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var configuration = EngineConfiguration(
            context: context, threads: threads, instructionSet: instructionSet, locksMemory: locksMemory)
        configuration.ledger = ledger
        configuration.cacheMemory = cacheMemory
        configuration.cacheType = cacheType
        return try await load(url, configuration: configuration, progress: progress)
    }

    /// The logits of every position of a sequence, one row after the other.
    func logits(of tokens: [TokenID], chunk: Int = 512) async throws -> [Float] {
        try await makeTimeline().logits(of: tokens, chunk: chunk)
    }
}

extension TokenTimeline {
    /// Appends tokens some at a time and returns the logits of every position, one row after the other.
    func logits(of tokens: some Collection<TokenID> & Sendable, chunk: Int = 512) async throws -> [Float] {
        var all: [Float] = []
        let output = LogitRows()
        var rest = Array(tokens)[...]
        while !rest.isEmpty {
            try await step(TimelineStep(tokens: Array(rest.prefix(chunk)), positions: .all), into: output)
            for row in 0..<output.count { all += output[row] }
            rest = rest.dropFirst(chunk)
        }
        return all
    }
}

extension TinyArchitecture: CustomTestStringConvertible {
    /// What failures call the architecture.
    public var testDescription: String { name }
}

/// Random tokens, the same in every run.
func randomTokens(_ count: Int, vocabulary: Int, seed: UInt64 = 1) -> [TokenID] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in TokenID(Int.random(in: 0..<vocabulary, using: &random)) }
}

/// The index of the first difference in any bit, or in length, of two rows of floats; nil if they are equal.
func firstDifference(_ a: [Float], _ b: [Float]) -> Int? {
    let shared = zip(a, b).enumerated().first { $1.0.bitPattern != $1.1.bitPattern }?.offset
    return shared ?? (a.count == b.count ? nil : min(a.count, b.count))
}

/// The largest absolute difference; infinite if one of the numbers is NaN.
func largestDifference(_ a: some Sequence<Float>, _ b: some Sequence<Float>) -> Float {
    zip(a, b).reduce(0) { worst, pair in
        let difference = abs(pair.0 - pair.1)
        return difference.isNaN ? .infinity : max(worst, difference)
    }
}

/// Expects a `RuntimeError` of this code and returns it.
@discardableResult
func expect(
    code: RuntimeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> RuntimeError? {
    do {
        try await body()
        Issue.record("threw nothing", sourceLocation: sourceLocation)
    } catch let error as RuntimeError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("threw \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
