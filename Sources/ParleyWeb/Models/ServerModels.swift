// SPDX-License-Identifier: Apache-2.0

package import ParleyAssistant
import ParleyConversation
import ParleyModels
import ParleyOpenAI
package import ParleyServer
import Synchronization

/// The model of a chat: the one that was chosen for it, else the server's first.
///
/// It is loaded when the chat needs it, and may be unloaded between two replies as any other.
final class ServerModels: ChatModelProvider {
    private let admitted: AdmittedModels
    private let chosen: Mutex<String?>

    init(_ admitted: AdmittedModels, chosen: String? = nil) {
        self.admitted = admitted
        self.chosen = Mutex(chosen)
    }

    /// The name of the chosen model; nil for the first.
    var name: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    func model() async throws -> ChatModel {
        let list = await admitted.models.list()
        let able = list.filter { $0.capabilities?.contains(.chat) ?? true }
        guard let name = name ?? able.first(where: { $0.status == .loaded })?.id ?? able.first?.id else {
            throw ServerError(503, .modelLoading, "There is no model here yet. Fetch one first.")
        }
        let (runner, model) = try await admitted.runner(name, for: "page")
        return ChatModel(
            runner: runner, callsFunctions: model.capabilities?.contains(.functions) ?? false,
            seesImages: model.capabilities?.contains(.vision) ?? false)
    }
}

extension AdmittedModels {
    /// The server's models for a chat that has chosen none.
    package var chatModels: any ChatModelProvider { ServerModels(self) }
}
