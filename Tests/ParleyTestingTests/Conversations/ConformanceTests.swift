// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTesting
import Testing

@Suite("Conformance", .timeLimit(.minutes(15)))
struct ConformanceTests {
    static let reply =
        "<think>They want numbers.</think>one, two, three, four, five, six, seven, eight, nine, ten 👩‍👩‍👧 e\u{301}leven"

    @Test("The scripted runner conforms", arguments: ModelRunnerConformance.checks)
    func scripted(check: ModelRunnerConformance.Check) async throws {
        for cuts in [TokenCuts.words, .every(1), .random(seed: 3)] {
            var subject = ModelRunnerConformance.Subject {
                ScriptedRunner(replies: [ScriptedReply(Self.reply, cuts: cuts)])
            }
            subject.options.maxTokens = 500
            try await check.run(on: subject)
        }
    }

    /// A runner that breaks a rule which the conversation cannot enforce.
    struct Broken: ModelRunner {
        enum Fault: CaseIterable {
            case ignoresStop, ignoresBudget, miscounts, acceptsAnything, staysLoaded
        }
        let fault: Fault
        let base = ScriptedRunner(replies: [ScriptedReply(ConformanceTests.reply)])
        var modelID: String { "broken" }

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            var request = request
            switch fault {
            case .ignoresBudget: request.options.maxTokens = nil
            case .acceptsAnything: request.messages = [.user("short")]
            case .miscounts:
                request.messages.append(.user("more"))
            case .staysLoaded where !base.requests.isEmpty:
                await writer.write(.text("still here"))
                return GenerationOutcome(.stop)
            case .ignoresStop:
                let request = request
                return try await Task { try await base.generate(request, to: writer) }.value
            case .staysLoaded: break
            }
            return try await base.generate(request, to: writer)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int {
            try await base.promptTokenCount(messages: messages, functions: functions, options: options)
        }

        func unload() async {
            if fault != .staysLoaded { await base.unload() }
        }
    }

    @Test(
        "The suite detects a runner that breaks a rule",
        arguments: Broken.Fault.allCases)
    func broken(fault: Broken.Fault) async {
        var subject = ModelRunnerConformance.Subject { Broken(fault: fault) }
        subject.patience = .seconds(5)
        let failures = await ModelRunnerConformance.failures(of: subject)
        #expect(!failures.isEmpty)
    }

    @Test("Two conversations stopped at random moments a thousand times conform")
    func stress() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.reply, cuts: .every(3))])
        let report = try await CancellationStress(rounds: 1_000, mostPieces: 40).run(on: runner)
        #expect(report.stopped + report.ended == 2_000)
        #expect(report.stopped > 500)
        #expect(runner.requests.count == 2_002, "each side's first one alone")
        // All conversations are released: each of the two sides created two at the start and one every four rounds. The
        // task of the last generation may not have ended yet.
        while runner.endedConversations.count < 504 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(runner.endedConversations.count == 504)
    }
}
