// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import ParleyModels
import ParleyPython
import ParleySystem

extension ModelsCommand {
    /// `parley models import`
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Imports a file or a folder on this machine as a model.",
            discussion: """
                For a split file, give any part; the other parts must be in the same directory. Of a folder in the form of \
                Hugging Face, what its model consists of is imported.

                The status is 0 if the model was imported, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C.
                """)

        @Argument(help: "The .gguf file, or a folder with config.json.", completion: .file(extensions: ["gguf"]))
        var file: String

        @Option(help: ArgumentHelp("The model's name in the store. (default: the file's)", valueName: "name"))
        var name: String?

        @Option(
            help: ArgumentHelp("The model's image projector (mmproj-*.gguf).", valueName: "file"),
            completion: .file(extensions: ["gguf"]))
        var projector: String?

        @Option(
            help: ArgumentHelp(
                "copy; link (a hard link, on the same disk); reference (the file is used where it is).",
                discussion: """
                    With link and reference the file stays yours, and its permissions stay as they are; who changes it \
                    changes the model.
                    """, valueName: "copy|link|reference"))
        var mode: InstallMode = .copy

        @Flag(help: "Replace another model of that name.")
        var force = false

        @Option(help: .quota)
        var quota: ByteSize?

        func run() async throws {
            let console = Console()
            let store = store
            let display = ReadingDisplay(verb: "Reading")
            defer { display.clear() }
            let model = try await Interrupts.shared.cancelling {
                try await store.install(
                    fileAt: url(file), companions: projector.map { [(url($0), .projector)] } ?? [], name: name,
                    mode: mode, mayReplace: force
                ) { display.show($0, of: $1) }
            }
            display.clear()
            console.note("\(model.name): \(model.byteCount).")
            if mode == .link {
                console.note("The store has a link to the file. Changing the file changes the model.")
            }
            if mode == .reference { console.note("The store refers to the file, which must not be moved.") }
            console.line(model.url.path)
        }

        private var store: ModelStore {
            var store = ModelStore.ofCommands
            if let quota { store.quota = quota }
            return store
        }

        private func url(_ path: String) -> URL {
            URL(filePath: NSString(string: path).expandingTildeInPath, directoryHint: .notDirectory)
        }
    }
}

extension InstallMode: ExpressibleByArgument {}
