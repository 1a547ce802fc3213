// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyJSON
import ParleyLocal

/// `parley score`: computes the probability that a model assigns to a text.
struct ScoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score", abstract: "Computes the probability of a text under a model, token by token.",
        discussion: """
            With --json: 'tokens' (ids), 'logprobs' (natural logarithms; the first is null), 'perplexity', and with \
            --top 'top', the likeliest tokens at each position.
            """)

    @Argument(help: .model, completion: .model)
    var model: String

    @Option(help: ArgumentHelp("The text; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show this number of the likeliest tokens at each position.", valueName: "n"))
    var top = 0

    @Option(
        help: ArgumentHelp(
            "Write the logits to this file: a row of little-endian 32-bit floats for each token.", valueName: "file"))
    var logits: String?

    @OptionGroup(title: "Loading options")
    var loading: LoadingOptions

    func validate() throws {
        try OptionRange(0...1_000).check(top, of: "--top")
        if top > 0, !json { throw ValidationError("--top needs --json.") }
    }

    func run() async throws {
        let console = Console()
        let bytes = try InputFile.bytes(file)
        let found = try await loading.fetching.file(of: model, console: console)
        let loaded = try await loading.computing.load(found, loading.configuration, console: console)
        let output = try logits.map { try OutputFile(path: $0) }
        let scorer = Scorer(model: loaded.model, context: loaded.contextSize, topCount: top)
        // All supported machines are little-endian, so the floats already have the right byte order.
        let score = try await scorer.score(bytes) { try output?.write(Data(buffer: $0)) }
        try output?.finish()
        if json {
            console.line(score.json.text())
        } else {
            let perplexity = score.perplexity.map { String(format: "%.3f", $0) } ?? "undefined"
            console.line("perplexity \(perplexity), \(ReplyReport.tokens(score.tokens.count))")
        }
    }
}
