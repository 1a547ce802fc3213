// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyModels
import ParleyRuntime

/// A model that is ready, with what the command line knows of it.
struct LoadedModel: Sendable {
    /// The model.
    var model: any TokenModel
    /// The tokens it was loaded for.
    var context: Int
    /// The name of the engine it runs in.
    var engine: String
    /// Where it came from, and what is known of it.
    var source: StoredModel

    /// The name for messages.
    var name: String { source.name }

    /// A runner of conversations; says where prompts are not made with the model's own template.
    func runner(console: Console) throws -> LocalModelRunner {
        let runner = try LocalModelRunner(
            model, id: name, contextSize: context, chatTemplate: source.manifest?.chatTemplate,
            sampling: .init(source.sampling))
        if !runner.hasChatTemplate {
            console.note("\(name) has no chat template; ChatML is used. It may be a base model, which does not chat.")
        }
        return runner
    }
}
