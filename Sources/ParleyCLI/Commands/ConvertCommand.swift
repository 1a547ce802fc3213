// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyModelFile
import ParleyModels
import ParleySystem

/// `parley convert`: writes a folder in the form of Hugging Face, or a GGUF file, as a GGUF file.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a folder in the form of Hugging Face as a GGUF file, or a GGUF file in another type.",
        discussion: """
            Weights of F32, F16 and BF16 can be written in another type; quantised ones are not quantised again.
            q4_k_m and the like are mixtures: some matrices get more bits, as llama-quantize does it.
            """,
        aliases: ["quantize"])

    @Argument(help: "A folder with config.json, or what names a GGUF file.", completion: .directory)
    var model: String

    @Argument(help: "The GGUF file to write.", completion: .file(extensions: ["gguf"]))
    var output: String

    @Option(
        help: ArgumentHelp(
            "The type of the weights: \(Self.names.joined(separator: ", ")). Without it they keep theirs.",
            valueName: "type"),
        completion: .list(Self.names))
    var to: String?

    @Flag(help: "Replace a file that is there already.")
    var force = false

    @OptionGroup
    var fetching: FetchingOptions

    private static let names = WritingForm.all.map { $0.name.lowercased() }

    func validate() throws {
        guard let to, form == nil else { return }
        throw ValidationError(
            "'\(to)' is none of the types that can be written: \(Self.names.joined(separator: ", ")).")
    }

    private var form: WritingForm? {
        WritingForm.all.first { $0.name.lowercased() == to?.lowercased() }
    }

    func run() async throws {
        let console = Console()
        let found = try await fetching.file(of: model, console: console)
        let conversion = try GGUFConversion(of: GGUFFile(contentsOf: found.url), to: form)
        let file = try OutputFile(
            path: output, mayReplace: force, remedy: "choose another name, or replace it with --force")
        try conversion.write { bytes in
            guard let start = bytes.baseAddress else { return }
            let data = Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
            try file.write(data)
        }
        try file.finish()
        console.note("\(output): \(conversion.layout.size)")
    }
}
