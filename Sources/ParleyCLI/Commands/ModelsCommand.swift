// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyFiles
import ParleyModels
import ParleyPython

/// `parley models`: manages the installed models.
struct ModelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "Lists, downloads, imports, checks and removes models.",
        subcommands: [
            List.self, Pull.self, Import.self, Verify.self, Remove.self, Collect.self, Path.self, FitCommand.self,
            CatalogCommand.self,
        ],
        defaultSubcommand: List.self)

    /// `parley models path`
    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Prints the path of a model's file.")

        @Argument(help: .model, completion: .model)
        var model: String

        func run() throws {
            let store = ModelStore.ofCommands
            if let speech = SpeechSummary(model, in: store) {
                guard let installed = speech.installed else {
                    throw CommandError(
                        "\(speech.name) is not on this machine yet. "
                            + "\(ShellCommand("parley models pull", speech.name)) downloads it.")
                }
                return Console().line(installed.url.path)
            }
            guard let found = try store.find(model) else {
                let reference = try ModelReference(parsing: model)
                throw CommandError(
                    "\(reference) is not on this machine yet. "
                        + "\(ShellCommand("parley models pull", "\(reference)")) downloads it.")
            }
            Console().line(found.url.path)
        }
    }

    /// `parley models remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes models.",
            discussion: """
                Files that other models share are kept, and so are files that were imported by reference. If one of the \
                names is not that of an installed model, nothing is removed.

                The status is 0 if all were removed, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C.
                """)

        @Argument(help: "The models' names.", completion: .installedModel)
        var names: [String]

        func run() async throws {
            let console = Console()
            let store = ModelStore.ofCommands
            for name in names { try store.requireEntry(name) }
            var seen: Set<String> = []
            for name in names where seen.insert(name.lowercased()).inserted {
                let clearance = try await Interrupts.shared.cancelling {
                    try await store.remove(name) { console.note("Waiting until another parley has fetched its model…") }
                }
                console.line("\(name) removed, \(clearance.byteCount) freed")
            }
        }
    }

    /// `parley models gc`
    struct Collect: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gc", abstract: "Removes files that no model needs.",
            discussion: "Interrupted downloads are kept for a week, so that they can be resumed.")

        @Flag(help: "Only show what would be removed.")
        var dryRun = false

        @Flag(help: "Remove interrupted downloads of any age.")
        var partial = false

        func run() throws {
            let console = Console()
            let store = ModelStore.ofCommands
            let clearance = try store.collectGarbage(
                isDryRun: dryRun, partialLifetime: partial ? 0 : ModelStore.partialLifetime)
            for name in clearance.names { console.line(name) }
            let size = clearance.byteCount
            console.note(clearance.names.isEmpty ? "Nothing to remove." : "\(size) \(dryRun ? "would be " : "")freed.")
        }
    }
}
