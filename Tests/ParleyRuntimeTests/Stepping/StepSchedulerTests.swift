// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTokenizer
import Testing

/// What an engine can let happen, of which the network's own engines show only a part.
@Suite("Step scheduler")
struct StepSchedulerTests {
    private let output = LogitRows()

    private func logits() -> [Float] { (0..<output.count).map { output[$0][0] } }

    @Test("a step runs in pieces of what the engine takes, and gives the logits of its own tokens")
    func runsInPieces() async throws {
        let timeline = try await EchoModel.load().makeTimeline(capacity: 20)
        try await timeline.step(TimelineStep(tokens: [1, 2, 3, 4, 5, 6, 7], positions: .all), into: output)
        #expect(logits() == [1, 2, 3, 4, 5, 6, 7])
        #expect(timeline.rewind(to: 4) == 4)
        try await timeline.step(TimelineStep(tokens: [8, 9]), into: output)
        #expect(logits() == [9])
        #expect(timeline.tokens == [1, 2, 3, 4, 8, 9])
    }

    @Test("a sequence that the engine has lost is run again, and its logits are those of the step")
    func runsAgain() async throws {
        let timeline = try await EchoModel.load().makeTimeline(capacity: 40)
        try await timeline.step(TimelineStep(tokens: [1, 2, 3, 4, 5], positions: .none), into: output)
        for token in [EchoEngine.loses, EchoEngine.losesLate] {
            try await timeline.step(TimelineStep(tokens: [6, 7, token, 8], positions: .all), into: output)
            #expect(logits() == [6, 7, Float(token), 8])
        }
        #expect(timeline.tokens.count == 13)
    }

    @Test("a step that the engine refuses or fails ends alone, and the timeline can go on")
    func fails() async throws {
        let model = try await EchoModel.load()
        let timeline = try model.makeTimeline(capacity: 20)
        for token in [EchoEngine.refused, EchoEngine.fails] {
            let error = await #expect(throws: RuntimeError.self) {
                try await timeline.step(TimelineStep(tokens: [token]), into: output)
            }
            #expect(error?.code == .engineFailed)
            try await timeline.step(TimelineStep(tokens: [1]), into: output)
        }
        #expect(timeline.tokens == [1, 1])
    }

    @Test("tokens beyond the capacity or the vocabulary are refused, and so are sequences longer than the context")
    func checks() async throws {
        let model = try await EchoModel.load()
        let timeline = try model.makeTimeline(capacity: 2)
        for (tokens, code) in [([1, 2, 3], .contextExceeded), ([-1], .invalidInput), ([100], .invalidInput)]
            as [([TokenID], RuntimeError.Code)]
        {
            let error = await #expect(throws: RuntimeError.self) {
                try await timeline.step(TimelineStep(tokens: tokens), into: output)
            }
            #expect(error?.code == code)
        }
        #expect(timeline.tokens.isEmpty)
        for capacity in [0, -1, EchoModel.longest + 1] {
            #expect(throws: RuntimeError.self) { try model.makeTimeline(capacity: capacity) }
        }
    }

    @Test("what goes wrong in loading is thrown, and a load that is cancelled is given up", .timeLimit(.minutes(15)))
    func loading() async throws {
        await #expect(throws: RuntimeError.self) {
            try await EchoModel.loadOnItsThread { _ in throw RuntimeError(.unsupported, "made up") }
        }
        let loading = Task {
            try await EchoModel.loadOnItsThread { isCancelled in
                while !isCancelled() {}
                return try EchoModel()
            }
        }
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
    }
}

/// A model whose logits are the tokens themselves.
private final class EchoModel: TokenModel, SteppedModel {
    static let longest = 100
    let context = longest
    let tokenizer: Tokenizer
    let info = ModelDescription(
        name: "echo", architecture: "echo", vocabularySize: longest, trainedContext: longest, parameterCount: 0)
    let scheduler = StepScheduler(EchoEngine())

    init() throws {
        tokenizer = try Tokenizer(GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
    }

    deinit {
        scheduler.stop()
    }

    static func load() async throws -> EchoModel { try await loadOnItsThread { _ in try EchoModel() } }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        try makeTimeline(capacity: capacity) { EchoSequence() }
    }
}

/// Writes each token as its logits, three at a time; some tokens make trouble, once each.
private final class EchoEngine: StepEngine {
    static let (refused, fails, loses, losesLate) = (90 as TokenID, 91 as TokenID, 92 as TokenID, 93 as TokenID)

    let mostRows = 3
    private var made: Set<TokenID> = []

    private func makes(_ token: TokenID, _ job: StepJob<EchoSequence>) -> Bool {
        job.tokens.contains(token) && made.insert(token).inserted
    }

    func accept(_ job: StepJob<EchoSequence>) throws {
        if makes(Self.refused, job) { throw RuntimeError(.engineFailed, "refused") }
        if makes(Self.loses, job) { job.restart() }
    }

    func run(_ jobs: [StepJob<EchoSequence>], shares: [Int]) {
        var batch = StepBatch<EchoSequence>()
        for (job, count) in zip(jobs, shares) { batch.append(count, of: job) }
        for output in batch.outputs {
            for part in batch.parts where part.rows.contains(output.row) {
                let token = part.job.tokens[part.tokens.lowerBound + output.row - part.rows.lowerBound]
                output.logits[output.outputRow].update(repeating: Float(token))
            }
        }
        for part in batch.parts {
            if makes(Self.fails, part.job) {
                part.job.fail(RuntimeError(.engineFailed, "failed"))
                continue
            }
            part.job.advance(by: part.tokens.count)
            if part.job.remaining > 0, makes(Self.losesLate, part.job) { part.job.restart() }
        }
    }
}

private final class EchoSequence: EngineSequence {
    let rewindsExactly = true

    func rewind(to position: Int, of count: Int) -> Int { position }
    func advance(to count: Int) {}
}
