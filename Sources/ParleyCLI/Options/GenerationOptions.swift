// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyConversation
import ParleyRuntime

/// The options of commands that make a model write.
struct GenerationOptions: ParsableArguments {
    @Option(help: "A system prompt: what the model should be and do.")
    var system: String?

    @Option(parsing: .unconditional, help: "The longest reply, in tokens.")
    var maxTokens = 1_024

    @Option(parsing: .unconditional, help: "Seed of the random draws, 0 or more; the same seed gives the same reply.")
    var seed: UInt64?

    @Option(
        parsing: .unconditional,
        help: "How freely to choose: 0 always takes the likeliest token. (default: the model's, else 0.7)")
    var temperature: Float?

    @Option(
        parsing: .unconditional,
        help: "Choose among so many of the likeliest tokens; 0 means all. (default: the model's, else 40)")
    var topK: Int?

    @Option(
        parsing: .unconditional,
        help: "Choose among the likeliest that reach this probability together. (default: the model's, else 0.95)")
    var topP: Float?

    @Option(
        parsing: .unconditional,
        help: "Drop tokens less likely than this share of the likeliest one. (default: the model's, else 0.05)")
    var minP: Float?

    @Option(
        parsing: .unconditional,
        help: "How much to hold against repetition; 1 is nothing. (default: the model's, else 1.1)")
    var repetitionPenalty: Float?

    @Option(name: .customLong("stop"), help: "End the reply before this text; may be given several times.")
    var stop: [String] = []

    @Option(
        help: "Constrain the reply to JSON that is valid for the JSON Schema in this file.",
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        name: .customLong("image"),
        help: "A JPEG or PNG file to show with the first message; may be given several times.",
        completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var imageFiles: [String] = []

    @OptionGroup(title: "Loading options")
    var loading: LoadingOptions

    mutating func validate() throws {
        if maxTokens < 1 { throw ValidationError("--max-tokens must be 1 or more, not \(maxTokens).") }
        if stop.contains("") { throw ValidationError("--stop needs some text.") }
        do {
            _ = try SamplingOptions(resolving: sampling)
        } catch {
            throw ValidationError("The \(error.message).")
        }
    }

    /// The sampling that was asked for.
    var sampling: SamplingOptions.Partial {
        .init(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty)
    }

    /// The images to show.
    ///
    /// - Throws: ``CommandError`` where one cannot be read.
    func images() throws -> [Data] { try imageFiles.map { Data(try InputFile.bytes($0)) } }

    /// The options as conversations take them.
    ///
    /// - Throws: ``CommandError`` where the schema cannot be read.
    func conversationOptions() throws -> ParleyConversation.GenerationOptions {
        ParleyConversation.GenerationOptions(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty,
            seed: seed, maxTokens: maxTokens, stop: stop,
            jsonSchemaConstraint: try schema.map { JSONSchema(try InputFile.json($0)) })
    }
}
