// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModels
import ParleyRuntime

/// A model that is ready, with what the command line knows of it.
struct LoadedModel: Sendable {
    /// The name it was asked for by.
    var name: String
    /// The model.
    var model: NativeModel
    /// What the catalog says of it.
    var entry: CatalogEntry?

    /// The sampling to use: what was asked for, then what the file says, then the catalog.
    func sampling(_ asked: SamplingOptions.Partial, seed: UInt64?) -> SamplingOptions {
        SamplingOptions(resolving: [asked, model.description.sampling, .init(entry?.sampling)], seed: seed)
    }

    /// The way its prompts are made; says where it is not the model's own.
    func renderer(console: Console) throws -> PromptRenderer {
        let renderer = try PromptRenderer(model.description.chatTemplate)
        if !renderer.isModelsOwn { console.note("\(name) has no chat template; ChatML is used in its place.") }
        return renderer
    }

    /// A new conversation.
    func session(_ renderer: PromptRenderer, _ options: GenerationOptions) throws -> ChatSession {
        try ChatSession(
            model: model, context: model.context, renderer: renderer, system: options.system,
            sampling: sampling(options.sampling, seed: options.seed), stop: options.stopRules)
    }
}

extension SamplingOptions.Partial {
    fileprivate init(_ defaults: ParleyModels.SamplingDefaults?) {
        self.init(
            temperature: defaults?.temperature, topK: defaults?.topK, topP: defaults?.topP, minP: defaults?.minP,
            repetitionPenalty: defaults?.repetitionPenalty)
    }
}
