// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyLocal
import ParleyModels
import ParleyRuntime

/// A loaded model, with what the command line knows of it.
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

    /// A runner of conversations. Prints a note where prompts are not made with the model's own template, and where the
    /// model cannot see the images.
    func runner(showing images: [Data] = [], console: Console) throws -> LocalModelRunner {
        let runner = try LocalModelRunner(
            model, id: name, contextSize: context, chatTemplate: source.manifest?.chatTemplate,
            sampling: .init(source.sampling))
        if !runner.hasChatTemplate {
            console.note("\(name) has no chat template; ChatML is used. It may be a base model, which does not chat.")
        }
        if !images.isEmpty, !runner.seesImages {
            let what = images.count == 1 ? "the image is" : "the images are"
            console.note(
                "\(name) has no image support here: \(what) left out. With llama.cpp, --mmproj FILE loads a projector.")
        }
        return runner
    }
}
