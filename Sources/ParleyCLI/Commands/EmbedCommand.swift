// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyModels

/// `parley embed`: turns texts into vectors.
struct EmbedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed", abstract: "Turns texts into vectors, so that similar texts have similar ones.",
        discussion: """
            Each text gives one line: its numbers, or with --base64 their 32-bit little-endian floats. Without texts the \
            lines of --file, or of standard input, are the texts; empty lines are left out. The vectors have length 1, \
            so the dot product of two is the cosine between them.
            """)

    @Argument(help: .model, completion: .model)
    var model: String

    @Argument(help: "The texts, one vector each.")
    var texts: [String] = []

    @Option(
        help: ArgumentHelp("A file whose lines are the texts; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @Flag(help: "Print one JSON object with the vectors and the number of tokens of each text.")
    var json = false

    @Flag(name: .customLong("base64"), help: "Print vectors as base64 of their 32-bit little-endian floats.")
    var isBase64 = false

    @Flag(help: "Read only the beginning of texts that are longer than the model takes, and do not refuse them.")
    var truncate = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Make the vectors this number of times, and print as JSON only the seconds of the fastest.",
            valueName: "n", visibility: .hidden))
    var `repeat`: Int?

    @OptionGroup
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        try OptionRange(1...1_000).check(`repeat`, of: "--repeat")
        if file != nil, !texts.isEmpty { throw ValidationError("Give either texts or --file.") }
    }

    func run() async throws {
        let console = Console()
        let texts = texts.isEmpty ? try lines() : texts
        guard !texts.isEmpty else { throw CommandError("There is no text. Give some, or pipe lines in.") }
        let embedder = try await load(console)
        let (truncates, writer) = (truncate, EmbeddingWriter(isBase64: isBase64))
        if let `repeat` {
            var fastest = Duration.seconds(1_000_000)
            for _ in 0..<`repeat` {
                let began = ContinuousClock.now
                _ = try await embedder.embed(texts, truncates: truncates)
                fastest = min(fastest, ContinuousClock.now - began)
            }
            console.line(JSONValue.object(["seconds": .number(fastest / .seconds(1))]).text())
        } else if json {
            let vectors = try await embed(texts, embedder)
            console.line(writer.json(vectors, model: embedder.modelID).text())
        } else {
            // In pieces, so that the first vectors of many are printed early.
            for start in stride(from: 0, to: texts.count, by: 256) {
                let part = Array(texts[start..<min(start + 256, texts.count)])
                let vectors = try await embed(part, embedder)
                for vector in vectors { console.line(writer.line(vector)) }
            }
        }
        await embedder.unload()
    }

    private func embed(_ texts: [String], _ embedder: LocalEmbedder) async throws -> [Embedding] {
        do {
            return try await Interrupts.shared.cancelling { [truncate] in
                try await embedder.embed(texts, truncates: truncate)
            }
        } catch let error as ConversationError where error.promptTokens != nil {
            throw CommandError("\(error.message) --truncate does that.")
        }
    }

    /// The texts in a file or on standard input, one a line.
    private func lines() throws -> [String] {
        try InputFile.text(file ?? "-").split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.allSatisfy(\.isWhitespace) }
    }

    private func load(_ console: Console) async throws -> LocalEmbedder {
        var configuration = LocalConfiguration(threads: computing.threads)
        configuration.power = computing.power
        configuration.logger = fetching.logger
        let (model, options, computing, fetching) = (model, configuration, computing, fetching)
        return try await LoadingDisplay(model: model, console: console).during { report in
            try await LocalEmbedder.load(
                model, engines: computing.engines, preference: computing.engine, store: fetching.store,
                isOffline: fetching.offline, configuration: options, progress: report)
        }
    }
}
