// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import ParleyModels

extension ModelsCommand {
    /// `parley models import`
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Takes a file of this machine in as a model.",
            discussion: "Of a split file name any part; the others are taken from beside it.")

        @Argument(help: "The .gguf file.", completion: .file(extensions: ["gguf"]))
        var file: String

        @Option(help: ArgumentHelp("The name to keep it under. (default: the file's)", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp("A projector (mmproj-*.gguf) that belongs to it.", valueName: "file"),
            completion: .file(extensions: ["gguf"]))
        var projector: String?

        @Option(
            help: ArgumentHelp(
                "copy; link (a second name for the file, on the same disk); reference (it stays where it is).",
                discussion: """
                    With link and reference the file stays yours, and its permissions stay as they are; who changes it \
                    changes the model.
                    """, valueName: "copy|link|reference"))
        var mode: InstallMode = .copy

        func run() async throws {
            let console = Console()
            let store = ModelStore.ofCommands
            let display = ReadingDisplay(verb: "Reading")
            defer { display.clear() }
            let model = try await Interrupts.shared.cancelling {
                try await store.install(
                    fileAt: url(file), companions: projector.map { [(url($0), .projector)] } ?? [], name: name,
                    mode: mode
                ) { display.show($0, of: $1) }
            }
            display.clear()
            console.note("\(model.name): \(model.byteCount).")
            if mode == .link {
                console.note("The file has a second name in the store. Whoever changes the file changes the model.")
            }
            if mode == .reference { console.note("The file stays where it is and must not move.") }
            console.line(model.url.path)
        }

        private func url(_ path: String) -> URL {
            URL(filePath: NSString(string: path).expandingTildeInPath, directoryHint: .notDirectory)
        }
    }
}

extension InstallMode: ExpressibleByArgument {}
