// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyModels

/// `parley info`: describes a model file.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows what a model is, its size and the memory that it needs.")

    @Argument(help: .model, completion: .model)
    var model: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Compute the memory for this context length in tokens.", valueName: "n"))
    var context: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print the chat template and nothing else.")
    var template = false

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        try OptionRange.tokens.check(context, of: "--context")
        if json, template { throw ValidationError("Give either --json or --template.") }
    }

    func run() async throws {
        let console = Console()
        if !template, let speech = SpeechSummary(model, in: fetching.store) {
            if json {
                console.line(JSONValue.object(speech.json).text(.pretty))
            } else {
                console.paragraph(speech.text(style: console.outputStyle))
            }
            return
        }
        let found = try await fetching.file(of: model, console: console)
        let file = try GGUFFile(contentsOf: found.url)
        if template {
            guard let template = file.chatTemplate else {
                throw CommandError("\(found.name) has no chat template; ChatML is used instead.")
            }
            console.write(template)
            return
        }
        let summary = try ModelSummary(of: file, path: found.url.path, entry: found.entry, context: context)
        if json {
            console.line(JSONValue.object(summary.json).text(.pretty))
        } else {
            console.paragraph(summary.text(style: console.outputStyle))
        }
    }
}
