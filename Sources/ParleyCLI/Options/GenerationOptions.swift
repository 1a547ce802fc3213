// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyConversation
import ParleyRuntime

/// The options of commands that generate text.
struct GenerationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The system prompt: instructions for the whole conversation.", valueName: "text"))
    var system: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The maximum length of a reply in tokens.", valueName: "n"))
    var maxTokens = 1_024

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seed for sampling, 0 or more; the same seed gives the same reply.", valueName: "n"))
    var seed: UInt64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The temperature; 0 always takes the likeliest token. (default: the model's, else 0.7)",
            valueName: "number"))
    var temperature: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample from this many of the likeliest tokens; 0 means all. (default: the model's, else 40)",
            valueName: "n"
        ))
    var topK: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample from the likeliest tokens with this total probability. (default: the model's, else 0.95)",
            valueName: "number"))
    var topP: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Drop tokens less likely than this fraction of the likeliest. (default: the model's, else 0.05)",
            valueName: "number"))
    var minP: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The repetition penalty; 1 has no effect. (default: the model's, else 1.1)", valueName: "number"))
    var repetitionPenalty: Float?

    @Option(
        name: .customLong("stop"),
        help: ArgumentHelp("End the reply before this text; may be given several times.", valueName: "text"))
    var stop: [String] = []

    @Option(
        help: ArgumentHelp(
            "Constrain the reply to JSON that is valid for the JSON Schema in this file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        name: .customLong("image"),
        help: ArgumentHelp(
            "A JPEG or PNG file to show with the first message; may be given several times.", valueName: "file"),
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

    /// The options in the form that conversations take.
    ///
    /// - Throws: ``CommandError`` where the schema cannot be read.
    func conversationOptions() throws -> ParleyConversation.GenerationOptions {
        ParleyConversation.GenerationOptions(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty,
            seed: seed, maxTokens: maxTokens, stop: stop,
            jsonSchemaConstraint: try schema.map { JSONSchema(try InputFile.json($0)) })
    }
}
