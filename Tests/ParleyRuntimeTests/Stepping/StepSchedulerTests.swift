// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTokenizer
import Synchronization
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
        #expect(timeline.contents.tokens == [1, 2, 3, 4, 8, 9])
    }

    @Test("steps are counted with their rows and the time that they took")
    func counts() async throws {
        let model = try await EchoModel.load()
        #expect(model.stepFigures == StepFigures())
        let timeline = try model.makeTimeline(capacity: 20)
        try await timeline.step(TimelineStep(tokens: [1, 2, 3, 4, 5, 6, 7], positions: .last), into: output)
        let figures = model.stepFigures
        #expect((figures.steps, figures.rows) == (3, 7))
        #expect(figures.time > .zero)
        try await timeline.step(TimelineStep(tokens: [8]), into: output)
        #expect(model.stepFigures.steps == 4)
        #expect(model.stepFigures.rows == 8)
        #expect(model.stepFigures.time > figures.time)
    }

    @Test("a sequence that the engine has lost is run again, and its logits are those of the step")
    func runsAgain() async throws {
        let timeline = try await EchoModel.load().makeTimeline(capacity: 40)
        try await timeline.step(TimelineStep(tokens: [1, 2, 3, 4, 5], positions: .none), into: output)
        for token in [EchoEngine.loses, EchoEngine.losesLate] {
            try await timeline.step(TimelineStep(tokens: [6, 7, token, 8], positions: .all), into: output)
            #expect(logits() == [6, 7, Float(token), 8])
        }
        #expect(timeline.contents.count == 13)
    }

    @Test("an embedding is one step, and is run again whole if the engine has lost the sequence")
    func embeddings() async throws {
        let timeline = try await EchoModel.load(takesEmbeddings: true).makeTimeline(capacity: 40)
        let embedding = InputEmbedding(identity: [1], count: 10, payload: "sound")
        try await timeline.step(TimelineStep(tokens: [1, 2], positions: .none), into: output)
        try await timeline.step(over: embedding)
        #expect(timeline.contents.parts == [.tokens([1, 2]), .embedding(embedding)])
        for token in [EchoEngine.loses, EchoEngine.losesLate] {
            try await timeline.step(TimelineStep(tokens: [6, 7, token, 8], positions: .all), into: output)
            #expect(logits() == [6, 7, Float(token), 8])
        }
        #expect(timeline.contents.parts.prefix(2) == [.tokens([1, 2]), .embedding(embedding)])
        #expect(timeline.contents.count == 20)
        #expect(timeline.rewind(to: 11) == 2, "a rewind does not end inside an embedding")
        #expect(timeline.contents == [1, 2])
        let error = await #expect(throws: RuntimeError.self) {
            try await timeline.step(over: InputEmbedding(identity: [2], count: 39, payload: ""))
        }
        #expect(error?.code == .contextExceeded)
        #expect(timeline.contents == [1, 2])
    }

    @Test("a model that takes only tokens refuses an embedding, and its timeline can go on")
    func refusesEmbeddings() async throws {
        let timeline = try await EchoModel.load().makeTimeline(capacity: 40)
        let error = await #expect(throws: RuntimeError.self) {
            try await timeline.step(over: InputEmbedding(identity: [1], count: 4, payload: "image"))
        }
        #expect(error?.code == .unsupported)
        try await timeline.step(TimelineStep(tokens: [3]), into: output)
        #expect(logits() == [3])
        #expect(timeline.contents == [3])
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
        #expect(timeline.contents.tokens == [1, 1])
    }

    @Test("a copy is made in pieces of 16 MiB at most, up to what the other sequence holds of the prefix")
    func copiesInPieces() async throws {
        let model = try await EchoModel.load()
        let (donor, own) = (try model.makeTimeline(capacity: 40), try model.makeTimeline(capacity: 40))
        let tokens = (0..<30).map { TokenID($0) }
        try await donor.step(TimelineStep(tokens: tokens, positions: .none), into: output)
        try await own.step(TimelineStep(tokens: [0, 1, 50], positions: .none), into: output)
        #expect(try await own.adopt(prefix: ModelInput(Array(tokens.prefix(25)) + [60]), of: donor) == 25)
        #expect(own.contents.tokens == Array(tokens.prefix(25)))
        #expect(model.copies.withLock { $0 } == [2..<6, 6..<10, 10..<14, 14..<18, 18..<22, 22..<25])
        let other = try await EchoModel.load().makeTimeline(capacity: 40)
        try await other.step(TimelineStep(tokens: tokens, positions: .none), into: output)
        #expect(try await own.adopt(prefix: ModelInput(tokens), of: other) == 25)
        try await own.step(TimelineStep(tokens: [7]), into: output)
        #expect(logits() == [7])
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
        #expect(timeline.contents.isEmpty)
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
    let adoptsPrefixes = true
    /// The positions that were copied between sequences, piece by piece.
    let copies = Copies()
    private let takesEmbeddings: Bool

    init(takesEmbeddings: Bool = false) throws {
        self.takesEmbeddings = takesEmbeddings
        tokenizer = try Tokenizer(GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
    }

    deinit {
        scheduler.stop()
    }

    static func load(takesEmbeddings: Bool = false) async throws -> EchoModel {
        try await loadOnItsThread { _ in try EchoModel(takesEmbeddings: takesEmbeddings) }
    }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        try makeTimeline(capacity: capacity) { EchoSequence(copies, takesEmbeddings: takesEmbeddings) }
    }
}

/// Writes each token as its logits, three at a time; some tokens make trouble, once each.
private final class EchoEngine: StepEngine {
    static let (refused, fails, loses, losesLate) = (90 as TokenID, 91 as TokenID, 92 as TokenID, 93 as TokenID)

    let mostRows = 3
    private var made: Set<TokenID> = []

    private func makes(_ token: TokenID, _ job: StepJob<EchoSequence>) -> Bool {
        job.input.tokens.contains(token) && made.insert(token).inserted
    }

    func accept(_ job: StepJob<EchoSequence>) throws {
        if makes(Self.refused, job) { throw RuntimeError(.engineFailed, "refused") }
        if makes(Self.loses, job) { job.restart() }
    }

    func rows(of job: StepJob<EchoSequence>) -> Int {
        if case .tokens(let tokens) = job.input.part(at: job.done) { tokens.count } else { 0 }
    }

    func run(_ jobs: [StepJob<EchoSequence>], shares: [Int]) {
        for job in jobs {
            if case .embedding(let embedding) = job.input.part(at: job.done) { job.advance(by: embedding.count) }
        }
        var batch = StepBatch<EchoSequence>()
        for (job, count) in zip(jobs, shares) { batch.append(count, of: job) }
        for output in batch.outputs {
            for part in batch.parts where part.rows.contains(output.row) {
                let token = part.tokens[part.tokens.startIndex + output.row - part.rows.lowerBound]
                output.logits[output.outputRow].update(repeating: Float(token))
            }
        }
        for part in batch.parts {
            if makes(Self.fails, part.job) {
                part.job.fail(RuntimeError(.engineFailed, "failed"))
                continue
            }
            part.job.advance(by: part.rows.count)
            if part.job.remaining > 0, makes(Self.losesLate, part.job) { part.job.restart() }
        }
    }
}

/// The pieces that have been copied.
private final class Copies: Sendable {
    private let pieces = Mutex<[Range<Int>]>([])

    func withLock<Value: Sendable>(_ body: (inout [Range<Int>]) -> Value) -> Value {
        pieces.withLock { pieces in body(&pieces) }
    }
}

private final class EchoSequence: EngineSequence {
    let rewindsExactly = true
    private let copies: Copies
    private let takesEmbeddings: Bool

    init(_ copies: Copies, takesEmbeddings: Bool) {
        self.copies = copies
        self.takesEmbeddings = takesEmbeddings
    }

    func admit(_ embedding: InputEmbedding) throws {
        guard takesEmbeddings else { throw RuntimeError(.unsupported, "only tokens") }
    }

    func rewind(to position: Int, of count: Int) -> Int { position }

    /// Each position has 4 MiB.
    func copy(_ positions: Range<Int>, of donor: EchoSequence, within budget: inout Int) -> Int {
        let piece = positions.prefix(budget >> 22)
        budget -= piece.count << 22
        copies.withLock { $0.append(piece) }
        return piece.upperBound
    }

    func advance(to count: Int) {}
}
