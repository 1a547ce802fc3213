// SPDX-License-Identifier: Apache-2.0

package import ParleyAssistant
import ParleyConversation
import ParleyModels
import ParleyOpenAI
package import ParleyServer

/// The models of the server for chats: the one that is named, else the first.
///
/// A model is loaded when a chat needs it, and may be unloaded between two replies as any other.
struct ServerModels: ChatModelProvider {
    let admitted: AdmittedModels

    func model() async throws -> ChatModel { try await model { _ in true } }

    func visionModel() async throws -> ChatModel { try await model { $0.contains(.vision) } }

    func model(_ name: String) async throws -> ChatModel {
        let (runner, model) = try await admitted.runner(name, for: "page")
        return ChatModel(
            runner: runner, callsFunctions: model.capabilities?.contains(.functions) ?? false,
            seesImages: model.capabilities?.contains(.vision) ?? false, digest: model.digest,
            contextSize: model.contextSize)
    }

    /// The first model that can do something, one that is loaded before others.
    private func model(able isAble: (ModelCapabilities) -> Bool) async throws -> ChatModel {
        let list = await admitted.models.list()
        guard !list.isEmpty else { throw AssistantError(.noModel, "There is no model here yet. Fetch one first.") }
        let able = list.filter { model in
            let capabilities = model.capabilities ?? .chat
            return capabilities.contains(.chat) && isAble(capabilities)
        }
        guard let first = able.first(where: { $0.status == .loaded }) ?? able.first else {
            throw ServerError(503, .modelLoading, "There is no model here yet that can do this. Fetch one first.")
        }
        return try await model(first.id)
    }
}

extension AdmittedModels {
    /// The server's models for a chat that has chosen none.
    package var chatModels: any ChatModelProvider { ServerModels(admitted: self) }
}
