// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyModels
import ParleyRuntime

/// A model that is ready, with what the command line knows of it.
struct LoadedModel: Sendable {
    /// The name it was asked for by.
    var name: String
    /// The model.
    var model: any TokenModel
    /// The tokens it was loaded for.
    var context: Int
    /// The name of the engine it runs in.
    var engine: String
    /// What the catalog says of it.
    var entry: CatalogEntry?

    /// A runner of conversations; says where prompts are not made with the model's own template.
    func runner(console: Console) throws -> LocalModelRunner {
        let runner = try LocalModelRunner(
            model, id: name, contextSize: context, sampling: .init(entry?.sampling))
        if !runner.hasChatTemplate { console.note("\(name) has no chat template; ChatML is used in its place.") }
        return runner
    }
}
