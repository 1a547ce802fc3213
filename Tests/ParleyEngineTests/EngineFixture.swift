// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
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

extension TinyArchitecture: CustomTestStringConvertible {
    /// What failures call the architecture.
    public var testDescription: String { name }
}

/// The index of the first difference in any bit, or in length, of two rows of floats; nil if they are equal.
func firstDifference(_ a: [Float], _ b: [Float]) -> Int? {
    let shared = zip(a, b).enumerated().first { $1.0.bitPattern != $1.1.bitPattern }?.offset
    return shared ?? (a.count == b.count ? nil : min(a.count, b.count))
}
