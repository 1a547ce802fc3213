// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyConversation
import ParleyModels

extension EngineChoice {
    /// Chooses for a model that may have come with a projector.
    ///
    /// A projector that the configuration names is required. The model's own is taken where an engine can use it, and
    /// otherwise the model reads text alone.
    ///
    /// - Parameters:
    ///   - preference: which engine is wanted.
    ///   - url: the model's file.
    ///   - projector: the model's own.
    ///   - engines: in the order of preference.
    ///   - configuration: gets the projector that is to be loaded.
    /// - Throws: as ``init(_:for:among:needed:)``.
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
