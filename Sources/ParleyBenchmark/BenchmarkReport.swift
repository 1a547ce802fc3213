// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON

/// The report of a benchmark: its conditions and results.
package struct BenchmarkReport: Sendable {
    /// The conditions of a benchmark.
    package struct Setting: Sendable {
        /// The model as the user specified it.
        package var model: String
        /// The model's name in its file.
        package var name: String
        /// The version of the program.
        package var version: String
        /// The kind of build of the program.
        package var build: BuildKind
        /// The instruction set of the kernels.
        package var instructionSet: String
        /// The number of threads that run a step together.
        package var threads: Int
        /// The longest sequence that the model was loaded for, in tokens.
        package var context: Int
        /// How keys and values were cached; nil where the engine decides.
        package var cacheType: String?
        /// How much of the machine the engine used at the end, for the sake of its battery and heat; nil where the engine
        /// follows no policy.
        package var power: PowerFigures?

        /// Creates a setting.
        package init(
            model: String, name: String, version: String, build: BuildKind, instructionSet: String, threads: Int,
            context: Int, cacheType: String? = nil, power: PowerFigures? = nil
        ) {
            self.model = model
            self.name = name
            self.version = version
            self.build = build
            self.instructionSet = instructionSet
            self.threads = threads
            self.context = context
            self.cacheType = cacheType
            self.power = power
        }
    }

    /// The conditions.
    package var setting: Setting
    /// The requested measurements.
    package var plan: BenchmarkPlan
    /// The results.
    package var results: BenchmarkResults
    /// The seconds from the start of a process to its first token.
    package var coldStart: Samples?
    /// The peak memory of the measuring process, in bytes.
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

    /// The report as a JSON object; values that were not measured are null.
    package var json: JSONValue {
        [
            "model": .string(setting.model), "name": .string(setting.name), "version": .string(setting.version),
            "build": .string(setting.build.rawValue), "instruction_set": .string(setting.instructionSet),
            "threads": .integer(setting.threads), "context": .integer(setting.context),
            "cache_type": setting.cacheType.map(JSONValue.string) ?? .null,
            "power": setting.power?.json ?? .null,
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
