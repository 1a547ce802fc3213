// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// What was run, and how fast.
package struct BenchmarkReport: Sendable {
    /// What was run.
    package struct Setting: Sendable {
        /// The model as it was asked for.
        package var model: String
        /// The name in the file.
        package var name: String
        /// The program's version.
        package var version: String
        /// How the program was built.
        package var build: BuildKind
        /// The kernels.
        package var instructionSet: String
        /// The threads that share a step.
        package var threads: Int
        /// The longest sequence that the model was loaded for.
        package var context: Int

        /// Creates a setting.
        package init(
            model: String, name: String, version: String, build: BuildKind, instructionSet: String, threads: Int,
            context: Int
        ) {
            self.model = model
            self.name = name
            self.version = version
            self.build = build
            self.instructionSet = instructionSet
            self.threads = threads
            self.context = context
        }
    }

    /// What was run.
    package var setting: Setting
    /// What was asked for.
    package var plan: BenchmarkPlan
    /// What was measured.
    package var results: BenchmarkResults
    /// Seconds from the start of a process to its first token.
    package var coldStart: Samples?
    /// The most memory that the measuring process had, in bytes.
    package var peakMemory: Int

    /// Creates a report.
    package init(
        setting: Setting, plan: BenchmarkPlan, results: BenchmarkResults, coldStart: Samples?, peakMemory: Int
    ) {
        self.setting = setting
        self.plan = plan
        self.results = results
        self.coldStart = coldStart
        self.peakMemory = peakMemory
    }

    /// The report as one object; what was not measured is null.
    package var json: JSONValue {
        [
            "model": .string(setting.model), "name": .string(setting.name), "version": .string(setting.version),
            "build": .string(setting.build.rawValue), "instruction_set": .string(setting.instructionSet),
            "threads": .integer(setting.threads), "context": .integer(setting.context),
            "prompt_tokens": .integer(plan.promptTokens), "reply_tokens": .integer(plan.replyTokens),
            "repetitions": .integer(plan.repetitions),
            "prefill_tokens_per_second": .median(results.prefill),
            "decode_tokens_per_second": .median(results.decode.first?.speed),
            "time_to_first_token_seconds": .median(coldStart), "peak_memory_bytes": .integer(peakMemory),
            "prefill": results.prefill.map { .object($0.json) } ?? .null,
            "decode": .array(
                results.decode.map { .object(Self.entry("depth", $0.depth, $0.speed)) }),
            "batch": .array(
                results.batch.map { .object(Self.entry("sequences", $0.sequences, $0.speed)) }),
            "drafting": .array(results.drafting.map { .object(Self.entry($0.name, $0.result)) }),
            "joining": results.joining.map { .object(Self.entry($0)) } ?? .null,
            "cold_start": coldStart.map { .object($0.json) } ?? .null,
        ]
    }

    private static func entry(_ name: String, _ value: Int, _ samples: Samples) -> JSONObject {
        let named: JSONObject = [name: .integer(value)]
        return named.merging(samples.json) { first, _ in first }
    }

    private static func entry(_ result: JoiningResult) -> JSONObject {
        [
            "usual_wait_seconds": .object(result.usualWait.json),
            "longest_wait_seconds": .object(result.longestWait.json),
            "reading_seconds": .object(result.reading.json),
        ]
    }

    private static func entry(_ name: String, _ result: DraftingResult) -> JSONObject {
        [
            "prompt": .string(name), "tokens": .integer(result.tokens), "same": .bool(result.isSame),
            "guessed": .integer(result.guesses.made), "right": .integer(result.guesses.right),
            "plain": .object(result.plain.json), "drafted": .object(result.drafted.json),
            "ratio": .object(result.ratio.json),
        ]
    }
}

extension JSONValue {
    fileprivate static func median(_ samples: Samples?) -> JSONValue {
        samples.map { .number($0.median) } ?? .null
    }
}
