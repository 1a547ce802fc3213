// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// Checks, usable in any test framework, that a `ModelRunner` follows the rules for all runners.
///
/// ```swift
/// @Test(arguments: ModelRunnerConformance.checks)
/// func keepsTheRules(check: ModelRunnerConformance.Check) async throws {
///     let subject = ModelRunnerConformance.Subject { ScriptedRunner(replies: ["One, two, three, four, five."]) }
///     try await check.run(on: subject)
/// }
/// ```
///
/// The checks do not judge the text of replies. They test the order of events, the history, and what happens when a
/// reply is stopped. Each check creates its own runner and unloads it at the end.
public struct ModelRunnerConformance: Sendable {
    /// The kind of runner to check, and how to check it.
    public struct Subject: Sendable {
        /// Creates a runner that is used for one check only.
        public var makeRunner: @Sendable () async throws -> any ModelRunner
        /// A message to which the runner replies in at least five pieces.
        public var prompt = "Count from one to thirty in words."
        /// A text that is too long for the runner's context.
        public var oversizedText = String(repeating: "word ", count: 100_000)
        /// The options for all generations.
        public var options = GenerationOptions(temperature: 0, seed: 1, maxTokens: 48)
        /// Whether the same options and history always give the same reply, even when other generations are running.
        public var isDeterministic = true
        /// How long a callback waits for another conversation's reply before the check fails; long enough for a busy
        /// machine.
        public var patience: Duration = .seconds(300)

        /// Creates a subject with default values.
        public init(makeRunner: @escaping @Sendable () async throws -> any ModelRunner) {
            self.makeRunner = makeRunner
        }
    }

    /// One check.
    public struct Check: Sendable, CustomStringConvertible {
        /// The rule that is checked, as a sentence.
        public let name: String
        let body: @Sendable (ConformanceTrial) async throws -> Void

        /// Runs the check.
        ///
        /// - Throws: ``ConformanceFailure`` if the runner breaks the rule; errors that the runner throws unexpectedly.
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

    /// All the checks.
    public static let checks: [Check] =
        historyChecks + busyChecks + stoppingChecks + contextChecks + replyChecks + sharingChecks
        + deliveryChecks

    /// Runs all checks one after the other.
    ///
    /// - Returns: the failures; empty if the runner follows all rules.
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
