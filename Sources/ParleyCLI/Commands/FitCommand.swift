// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyModels

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
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        try OptionRange.tokens.check(context, of: "--context")
    }

    func run() async throws {
        let console = Console()
        let file = try await ModelLibrary(console: console).header(of: model, isOffline: fetching.offline)
        let plan = try MemoryPlan(file, threads: computing.threads)
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
}
