// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension ModelsCommand {
    /// `parley models verify`
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Reads models again and checks that they are whole.",
            discussion: "Ends with status 1 where one is not.")

        @Argument(help: "The models' names. (default: all)")
        var names: [String] = []

        func run() async throws {
            let console = Console()
            let store = ModelStore.ofCommands
            let models = try chosen(from: store)
            var broken = 0
            for model in models {
                let display = ReadingDisplay(verb: "Checking \(model.name)")
                defer { display.clear() }
                let result = try await Interrupts.shared.cancelling {
                    try store.verify(model) { display.show($0, of: $1) }
                }
                display.clear()
                console.line("\(result.name)  \(result.isSound ? "sound" : "BROKEN")")
                for fault in result.faults { console.line("  \(fault)") }
                if !result.isSound {
                    broken += 1
                    console.note(remedy(for: model))
                }
            }
            if broken > 0 { throw ExitCode.failure }
            if models.isEmpty { console.note("There are no models to check.") }
        }

        private func chosen(from store: ModelStore) throws -> [InstalledModel] {
            let models = store.list()
            if names.isEmpty { return models }
            return try names.map { name in
                guard let model = models.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                    throw CommandError("\(name) is not in the store. 'parley models list' shows what is.")
                }
                return model
            }
        }

        private func remedy(for model: InstalledModel) -> String {
            if !model.references.isEmpty {
                return "  Put the file back, or run 'parley models remove \(model.name)' and import it again."
            }
            let isImported = model.manifest.origin.hasPrefix("file:")
            let again = isImported ? "import it again" : "'parley models pull \(model.manifest.origin)'"
            return "  Run 'parley models remove \(model.name)', then \(again)."
        }
    }
}
