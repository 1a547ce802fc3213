// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyModels
import ParleyPython

/// `parley models fit`: whether a model fits into this machine's memory.
struct FitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit", abstract: "Shows whether a model fits into this machine's memory.",
        discussion: """
            The sum is the one that loading uses, and comes from the file's header alone; of a model that is not on \
            this machine only the header is fetched. The exit status is 0 where the model fits, if need be with a \
            shorter context, and 3 where it does not.
            """)

    @Argument(help: .model, completion: .model)
    var model: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Context length in tokens. (default: as trained, at most 8192)", valueName: "n"))
    var context: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        try OptionRange.tokens.check(context, of: "--context")
    }

    func run() async throws {
        let console = Console()
        let file = try await header()
        let plan = try MemoryPlan(file, threads: computing.threads, cacheType: cache.cacheType)
        let context = context ?? min(plan.trainedContext, EngineConfiguration.usualContext)
        let report = FitReport(model: model, fit: MemoryFit(plan, context: context))
        if json {
            console.line(JSONValue.object(report.json).text(.pretty))
        } else {
            console.write(report.text(style: console.outputStyle))
        }
        ContextWarning.show(requested: context, trained: plan.trainedContext, console: console)
        if report.fit.verdict == .doesNotFit { throw ExitCode(3) }
    }

    /// Opens the model by its header: its file where it is here, else the beginning of the file on the web.
    private func header() async throws -> GGUFFile {
        let store = ModelStore.ofCommands
        if let found = try store.find(model) {
            try found.requireText()
            return try GGUFFile(contentsOf: found.url)
        }
        let reference = try ModelReference(parsing: model)
        let (model, isOffline) = (model, fetching.offline)
        return try await Interrupts.shared.cancelling {
            // What needs no network is found, or refused, without it.
            if isOffline { return try GGUFFile(contentsOf: try await store.install(model, isOffline: true).url) }
            let resolver = ModelResolver(catalog: store.catalog, hub: store.hub)
            return try await resolver.header(of: try await resolver.manifest(of: reference))
        }
    }
}
