// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyConversation
import ParleyModels

extension EngineChoice {
    /// Chooses an engine for a model that may have come with a projector for images.
    ///
    /// A projector given in the configuration is required. The model's own projector is used if an engine supports it;
    /// otherwise the model is loaded for text only.
    ///
    /// - Parameters:
    ///   - preference: the engine to use, or automatic.
    ///   - url: the model's file.
    ///   - projector: the model's own projector; nil if it has none.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - configuration: receives the projector that is to be loaded.
    /// - Throws: the errors of ``init(_:for:among:needed:)``.
    package init(
        _ preference: EnginePreference, for url: URL, with projector: URL?, among engines: [EngineDescriptor],
        _ configuration: inout LocalConfiguration
    ) throws(ConversationError) {
        guard configuration.projector == nil, let projector,
            let seeing = try? EngineChoice(preference, for: url, among: engines, needed: .vision)
        else {
            let needed: ModelCapabilities = configuration.projector == nil ? .chat : .vision
            self = try EngineChoice(preference, for: url, among: engines, needed: needed)
            return
        }
        configuration.projector = projector
        self = seeing
    }
}
