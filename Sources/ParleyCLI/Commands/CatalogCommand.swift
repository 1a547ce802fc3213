// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OrderedCollections
import ParleyJSON
import ParleyModelFile
import ParleyModels
import ParleyPython
import ParleySystem

/// `parley models catalog`: lists the models that can be requested by name.
struct CatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Lists the models that can be requested by name.",
        discussion: """
            Others are asked for as hf:OWNER/REPO, hf:OWNER/REPO:QUANT, by the address of a .gguf file or of a LEAP \
            manifest, or by path. Another quantisation of a model here is NAME:QUANT, such as qwen3-0.6b:Q4_K_M.
            """)

    @Flag(help: "Print one JSON array.")
    var json = false

    func run() {
        let console = Console()
        let entries = Catalog.builtIn.entries
        if json {
            let speech = SpeechCatalog.builtIn.entries.compactMap { SpeechSummary($0.name, in: .ofCommands)?.json }
            console.line(JSONValue.array((entries.map(Self.json) + speech).map { .object($0) }).text(.pretty))
        } else {
            console.write(Self.text(entries, style: console.outputStyle))
            console.write(Self.text(SpeechCatalog.builtIn.entries, style: console.outputStyle))
            console.note(
                "The memory is for \(UsualContext.tokens) tokens of context, or as many as a model is trained for.")
        }
    }

    /// Two lines for each model, none wider than 60 columns.
    package static func text(_ entries: [CatalogEntry], style: TextStyle) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.map { entry in
            let size = entry.byteCount?.description ?? "size unknown"
            let name = entry.name + String(repeating: " ", count: width - entry.name.count)
            return "\(name)  \(entry.quantization)  \(size), \(entry.minimumMemory) of memory\n"
                + style.dim("  \(entry.license); \(entry.capabilities)") + "\n"
        }.joined()
    }

    /// Two lines for each model that writes down speech.
    package static func text(_ entries: [SpeechCatalog.Entry], style: TextStyle) -> String {
        entries.map { entry in
            let size = entry.files.compactMap(\.byteCount).reduce(.zero, +)
            return "\(entry.name)  \(entry.files.first?.quantization ?? "")  \(size)\n"
                + style.dim("  \(entry.license); speech, \(entry.languages)") + "\n"
        }.joined()
    }

    private static func json(_ entry: CatalogEntry) -> JSONObject {
        [
            "name": .string(entry.name), "kind": "text", "title": .string(entry.title), "family": .string(entry.family),
            "parameters": .integer(entry.parameterCount), "quantization": .string(entry.quantization),
            "bytes": entry.byteCount.map { .integer($0.count) } ?? .null,
            "trained_context": .integer(entry.trainedContext), "license": .string(entry.license),
            "homepage": .string(entry.homepage), "capabilities": .array(entry.capabilities.names.map(JSONValue.string)),
            "minimum_memory": .integer(entry.minimumMemory.count),
            "minimum_memory_context": .integer(entry.assumedContext),
            "files": .array(
                entry.files.map { file in
                    [
                        "quantization": .string(file.quantization), "source": .string(file.hub.description),
                        "bytes": file.byteCount.map { .integer($0.count) } ?? .null,
                        "sha256": file.sha256.map { .string($0) } ?? .null,
                    ]
                }),
            "repositories": .array(entry.repositories.map(JSONValue.string)),
        ]
    }
}
