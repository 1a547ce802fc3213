// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OrderedCollections
import ParleyCommandLine
import ParleyJSON
import ParleyLocal
import ParleyModelFile
import ParleyModels
import ParleyTemplate
import ParleyTokenizer

/// `parley render`: renders messages to a prompt.
struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Prints the prompt that a chat template makes from messages.",
        discussion: "Prints exactly the rendered bytes. Messages and tools have the format of OpenAI's chat API.")

    @Argument(help: "The model whose template to use: a name or the path of a .gguf file.", completion: .model)
    var model: String?

    @Option(
        help: ArgumentHelp("Use this template instead of the model's.", valueName: "file"),
        completion: .file(extensions: ["jinja"]))
    var template: String?

    @Option(
        help: ArgumentHelp("A JSON array of messages; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var messages: String

    @Option(help: ArgumentHelp("A JSON array of tools.", valueName: "file"), completion: .file(extensions: ["json"]))
    var tools: String?

    @Option(
        name: .customLong("var"),
        help: ArgumentHelp("Set a variable of the template; may be given several times.", valueName: "name=json"))
    var variables: [String] = []

    @Flag(name: .customLong("no-generation-prompt"), help: "Do not append the beginning of the model's reply.")
    var omitsGenerationPrompt = false

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        if (model == nil) == (template == nil) { throw ValidationError("Give either a model or --template.") }
        _ = try parsedVariables()
    }

    func run() async throws {
        let (template, constants) = try await chatTemplate()
        let given = try Self.objects(in: messages)
        guard let messages = ContentParts.fitted(given, to: template, constants: constants) else {
            throw CommandError(
                "The template supports only text, but the messages contain images or sounds. Leave them out.")
        }
        var context: JSONObject = ["messages": messages, "add_generation_prompt": .bool(!omitsGenerationPrompt)]
        if let tools { context["tools"] = try Self.objects(in: tools) }
        context.merge(try parsedVariables()) { $1 }
        let segments = try template.render(context, constants: constants)
        Console().write(segments.map(\.text).joined())
    }

    /// The array of objects in a file.
    private static func objects(in path: String) throws -> JSONValue {
        let value = try InputFile.json(path)
        guard let elements = value.array, elements.allSatisfy({ $0.object != nil }) else {
            throw CommandError("\(InputFile.name(of: path)) does not contain a JSON array of objects.")
        }
        return value
    }

    private func chatTemplate() async throws -> (ChatTemplate, constants: JSONObject) {
        if let template { return (try ChatTemplate(source: try InputFile.text(template)), [:]) }
        let found = try await fetching.file(of: model ?? "", console: Console())
        let file = try GGUFFile(contentsOf: found.url)
        guard let source = file.chatTemplate else {
            throw CommandError("\(found.name) has no chat template. Give one with --template FILE.")
        }
        let constants = PromptRenderer.constants(of: try Tokenizer(file.tokenizerDescription()))
        return (try ChatTemplate(source: source), constants)
    }

    private func parsedVariables() throws -> JSONObject {
        var object: JSONObject = [:]
        for variable in variables {
            guard let equals = variable.firstIndex(of: "="), equals > variable.startIndex else {
                throw ValidationError("--var needs NAME=JSON, not \(variable).")
            }
            do {
                object[String(variable[..<equals])] = try JSONValue(parsing: variable[variable.index(after: equals)...])
            } catch {
                throw ValidationError("The value of \(variable[..<equals]) is not valid JSON: \(error)")
            }
        }
        return object
    }
}
