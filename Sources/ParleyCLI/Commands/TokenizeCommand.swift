// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyJSON
import ParleyModelFile
import ParleyModels
import ParleyTokenizer

/// `parley tokenize`: prints the token ids of texts.
struct TokenizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenize", abstract: "Prints the token ids of a text as JSON.",
        discussion: "The model file may contain only a vocabulary. No beginning-of-text token is added.")

    @Argument(help: .model, completion: .model)
    var model: String

    @Option(help: ArgumentHelp("The text, any bytes; - is standard input.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("A JSON array of texts; prints an array for each. - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var batch: String?

    @Flag(help: "Treat the texts of control tokens as control tokens.")
    var special = false

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        if (file == nil) == (batch == nil) { throw ValidationError("Give either --file or --batch.") }
    }

    func run() async throws {
        let console = Console()
        let found = try await fetching.file(of: model, console: console)
        let tokenizer = try Tokenizer(GGUFFile(contentsOf: found.url).tokenizerDescription())
        let policy: SpecialTokenPolicy = special ? .parsed : .asText
        if let file {
            console.line(Self.json(tokenizer.encode(bytes: try InputFile.bytes(file), specialTokens: policy)))
        } else if let batch {
            guard let texts = try InputFile.json(batch).array, texts.allSatisfy({ $0.string != nil }) else {
                throw CommandError("\(InputFile.name(of: batch)) is not a JSON array of strings.")
            }
            let ids = texts.map { Self.json(tokenizer.encode($0.string ?? "", specialTokens: policy)) }
            console.line("[" + ids.joined(separator: ",\n") + "]")
        }
    }

    private static func json(_ ids: [TokenID]) -> String {
        "[" + ids.map(String.init).joined(separator: ",") + "]"
    }
}
