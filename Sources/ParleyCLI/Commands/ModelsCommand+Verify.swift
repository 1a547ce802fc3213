// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyFiles
import ParleyModels
import ParleyPython

extension ModelsCommand {
    /// `parley models verify`
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Checks that the files of models are complete and unchanged.",
            discussion: "The exit status is 1 if a model is damaged and not repaired.")

        @Argument(help: "The models' names. (default: all)", completion: .installedModel)
        var names: [String] = []

        @Flag(help: "Download damaged and missing files again.")
        var repair = false

        func run() async throws {
            let console = Console()
            let store = ModelStore.ofCommands
            try store.checkReadable()
            let models = try chosen(from: store)
            let fetching = FetchDisplay(console: console)
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
                if result.isSound { continue }
                if repair {
                    do {
                        try await repaired(model, in: store, fetching, console)
                    } catch let error as ModelStoreError {
                        // The other models are checked and repaired all the same.
                        broken += 1
                        console.error(ErrorText.of(error))
                    }
                } else {
                    broken += 1
                    console.line("  " + remedy(for: model))
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
                    throw CommandError("\(name) is not installed. 'parley models list' lists the installed models.")
                }
                return model
            }
        }

        private func repaired(
            _ model: InstalledModel, in store: ModelStore, _ display: FetchDisplay, _ console: Console
        ) async throws {
            defer { display.clear() }
            try await Interrupts.shared.cancelling {
                _ = try await store.repair(model) { display.show($0) }
            }
            display.clear()
            console.line("\(model.name)  repaired")
        }

        private func remedy(for model: InstalledModel) -> String {
            model.references.isEmpty
                ? "\(ShellCommand("parley models verify --repair", model.name)) downloads what is damaged again."
                : "Put the file back, or run \(ShellCommand("parley models remove", model.name)) and import it again."
        }
    }
}
