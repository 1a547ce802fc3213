// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyModels

/// `parley models`: what models there are.
struct ModelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "Lists, fetches and locates models.",
        subcommands: [List.self, Pull.self, Path.self, FitCommand.self, CatalogCommand.self],
        defaultSubcommand: List.self)

    /// `parley models list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the models that can be asked for by name.")

        func run() {
            let store = ModelLibrary(console: Console()).store
            let console = Console()
            for entry in store.catalog.entries {
                let state = store.isPresent(entry) ? "here" : "not fetched"
                console.line("\(entry.name)  \((entry.byteCount ?? 0) / 1_000_000) MB  \(entry.license)  \(state)")
            }
        }
    }

    /// `parley models pull`
    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Fetches a model.")

        @Argument(help: "The model's name.")
        var name: String

        @OptionGroup
        var fetching: FetchingOptions

        func run() async throws {
            let console = Console()
            let library = ModelLibrary(console: console)
            let found = try library.store.find(name)
            guard let entry = found.entry else {
                throw CommandError("\(name) is a file, not a model to fetch. See 'parley models'.")
            }
            let model = try await library.file(of: name, isOffline: fetching.offline)
            if found.isPresent { console.note("\(entry.name) is here already; licence \(entry.license).") }
            console.line(model.url.path)
        }
    }

    /// `parley models path`
    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints where a model's file is.")

        @Argument(help: .model, completion: .model)
        var model: String

        func run() throws {
            let found = try ModelLibrary(console: Console()).store.find(model)
            guard found.isPresent else {
                throw CommandError(
                    "\(found.name) is not on this machine yet. 'parley models pull \(found.name)' fetches it.")
            }
            Console().line(found.url.path)
        }
    }
}
