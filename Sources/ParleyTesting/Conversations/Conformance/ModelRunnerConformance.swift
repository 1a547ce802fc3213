// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// The rules that every `ModelRunner` keeps, as checks that run in any test framework.
///
/// ```swift
/// @Test(arguments: ModelRunnerConformance.checks)
/// func keepsTheRules(check: ModelRunnerConformance.Check) async throws {
///     let subject = ModelRunnerConformance.Subject { ScriptedRunner(replies: ["One, two, three, four, five."]) }
///     try await check.run(on: subject)
/// }
/// ```
///
/// The text of replies is not checked, but the order of events, the history and what happens when a reply is stopped.
/// Each check makes a runner of its own and unloads it.
public struct ModelRunnerConformance: Sendable {
    /// What is checked.
    public struct Subject: Sendable {
        /// Makes a runner that is used for one check only.
        public var makeRunner: @Sendable () async throws -> any ModelRunner
        /// A message whose reply comes in at least five pieces.
        public var prompt = "Count from one to thirty in words."
        /// A text that does not fit into the context.
        public var oversizedText = String(repeating: "word ", count: 100_000)
        /// Options for all generations; where ``isDeterministic`` is true, the same ones give the same reply.
        public var options = GenerationOptions(temperature: 0, seed: 1, maxTokens: 48)
        /// Whether the same options and history give the same reply, whatever else runs.
        public var isDeterministic = true
        /// The longest that a callback waits for a reply that must come meanwhile; after that the check fails. Busy
        /// machines take long.
        public var patience: Duration = .seconds(300)

        /// Creates a subject with the defaults.
        public init(makeRunner: @escaping @Sendable () async throws -> any ModelRunner) {
            self.makeRunner = makeRunner
        }
    }

    /// One check.
    public struct Check: Sendable, CustomStringConvertible {
        /// What is checked, as a sentence.
        public let name: String
        let body: @Sendable (ConformanceTrial) async throws -> Void

        /// Runs the check.
        ///
        /// - Throws: ``ConformanceFailure``, or what the runner throws where it should not.
        public func run(on subject: Subject) async throws {
            let runner = try await subject.makeRunner()
            do {
                try await body(ConformanceTrial(name: name, subject: subject, runner: runner))
            } catch {
                await runner.unload()
                throw error
            }
            await runner.unload()
        }

        /// The name.
        public var description: String { name }
    }

    /// All checks.
    public static let checks: [Check] =
        historyChecks + busyChecks + stoppingChecks + contextChecks + replyChecks + sharingChecks
        + deliveryChecks

    /// Runs all checks one after the other.
    ///
    /// - Returns: the checks that failed; empty for a runner that conforms.
    public static func failures(of subject: Subject) async -> [ConformanceFailure] {
        var failures: [ConformanceFailure] = []
        for check in checks {
            do {
                try await check.run(on: subject)
            } catch let failure as ConformanceFailure {
                failures.append(failure)
            } catch {
                failures.append(ConformanceFailure(check: check.name, message: "It threw: \(error)"))
            }
        }
        return failures
    }
}
