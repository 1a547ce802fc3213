// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyConversation
import ParleySampling

/// The options of commands that generate text.
struct GenerationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The system prompt: instructions for the whole conversation.", valueName: "text"))
    var system: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum length of a reply in tokens. (default: \(Self.usualTokens))", valueName: "n"))
    var maxTokens: Int?

    /// The maximum length of a reply if no other is given.
    private static let usualTokens = 1_024

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seed for sampling, 0 or more; the same seed gives the same reply.", valueName: "n"),
        transform: Self.parsedSeed)
    var seed: UInt64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How freely to choose: 0 always takes the likeliest token. \(SamplingOptions.temperatures.inHelp)",
            valueName: "number"))
    var temperature: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sample from this many of the likeliest tokens; 0 means all. \(SamplingOptions.topKs.inHelp)",
            valueName: "n"))
    var topK: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Choose among the likeliest that reach this probability together. \(SamplingOptions.topPs.inHelp)",
            valueName: "number"))
    var topP: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Drop tokens less likely than this share of the likeliest one. \(SamplingOptions.minPs.inHelp)",
            valueName: "number"))
    var minP: Float?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The repetition penalty; 1 has no effect. \(SamplingOptions.penalties.inHelp)",
            valueName: "number"))
    var repetitionPenalty: Float?

    @Option(
        name: .customLong("image"),
        help: ArgumentHelp(
            "A JPEG or PNG file to show with the first message; may be given several times.", valueName: "file"),
        completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var imageFiles: [String] = []

    @OptionGroup(title: "Loading options")
    var loading: LoadingOptions

    mutating func validate() throws {
        if let maxTokens, maxTokens < 1 { throw ValidationError("--max-tokens must be 1 or more, not \(maxTokens).") }
        // Larger numbers are read as infinity, which says nothing of the one that was given.
        for (value, name) in [(temperature, "--temperature"), (repetitionPenalty, "--repetition-penalty")]
        where value == Float.infinity {
            throw ValidationError("\(name) must be at most \(Float.greatestFiniteMagnitude).")
        }
        if let wrong = sampling.outOfRange {
            let name = JSONName.of(wrong.option).replacing("_", with: "-")
            throw ValidationError("--\(name) must be \(wrong.range), not \(wrong.value).")
        }
    }

    private static func parsedSeed(_ text: String) throws -> UInt64 {
        guard let seed = UInt64(text) else {
            throw ValidationError("it must be from 0 to \(UInt64.max).")
        }
        return seed
    }

    /// The sampling that was asked for.
    var sampling: SamplingOptions {
        SamplingOptions(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty,
            seed: seed)
    }

    /// The images to show.
    ///
    /// - Throws: ``CommandError`` where one cannot be read, is neither JPEG nor PNG, or is too large.
    func images() throws -> [Data] {
        try imageFiles.map { path in
            let image = Data(try InputFile.bytes(path))
            do {
                try ImageSize.check(image)
            } catch {
                throw CommandError("\(path) \(error).")
            }
            return image
        }
    }

    /// The options in the form that conversations take, with where a reply ends and what form it has.
    ///
    /// - Throws: ``CommandError`` where the schema cannot be read.
    func conversationOptions(_ limits: AnswerOptions) throws -> ParleyConversation.GenerationOptions {
        var options = ParleyConversation.GenerationOptions(
            maxTokens: maxTokens ?? Self.usualTokens, stop: limits.stop,
            jsonSchemaConstraint: try limits.schema.map { JSONSchema(try InputFile.json($0)) })
        options.sampling = sampling
        return options
    }
}

extension SamplingOptions.Values {
    /// Where the value of an option comes from that is not given.
    fileprivate var inHelp: String { "(default: the model's, else \(usual))" }
}
