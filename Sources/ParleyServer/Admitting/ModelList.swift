// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleyOpenAI
import Synchronization

/// The models that a server offers, in the order in which they are listed.
final class ModelList: Sendable {
    private struct State {
        var models: [ServedModel]
        /// The names of those that are being removed, and are not listed any more.
        var removing: Set<String> = []
    }

    /// No other lock is taken while this one is held.
    private let state: Mutex<State>
    private let preferred: String?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - models: the models.
    ///   - preferred: the name of the model that is listed first even if it is added later.
    init(_ models: [ServedModel], preferred: String?) {
        state = Mutex(State(models: models))
        self.preferred = preferred
    }

    /// All models.
    var all: [ServedModel] { state.withLock { $0.models } }

    /// The model of a name.
    ///
    /// - Throws: ``ServerError`` with code `model_not_found`.
    func model(_ id: String) throws(ServerError) -> ServedModel {
        let models = all
        guard let model = models.first(where: { $0.id == id }) else {
            throw ServerError.modelNotFound(id, among: models.map(\.id))
        }
        return model
    }

    /// Whether a model of the name is listed, or is being removed.
    func knows(_ id: String) -> Bool { state.withLock { Self.knows(id, $0) } }

    private static func knows(_ id: String, _ state: State) -> Bool {
        state.removing.contains(id) || state.models.contains { $0.id == id }
    }

    /// Lists a model, unless one of its name is known.
    func add(_ model: ServedModel) {
        state.withLock { state in
            guard !Self.knows(model.id, state) else { return }
            state.models.insert(model, at: model.id == preferred ? 0 : state.models.count)
        }
    }

    /// Takes a model out of the list, while it is being removed.
    ///
    /// - Returns: its place in the list.
    func withdraw(_ id: String) -> Int {
        state.withLock { state in
            guard let place = state.models.firstIndex(where: { $0.id == id }) else { return state.models.count }
            state.models.remove(at: place)
            state.removing.insert(id)
            return place
        }
    }

    /// Puts a model that was not removed back into its place.
    func putBack(_ model: ServedModel, at place: Int) {
        state.withLock { state in
            state.removing.remove(model.id)
            state.models.insert(model, at: min(place, state.models.count))
        }
    }

    /// Notes that a model has been removed.
    func forget(_ id: String) { state.withLock { state in _ = state.removing.remove(id) } }
}

extension ServerError {
    /// The answer for a model that is not there.
    static func modelNotFound(_ id: String, among known: [String]) -> ServerError {
        guard !id.isEmpty else {
            return ServerError(
                400, .missingParameter, "model is missing; there is none to take instead.", param: "model")
        }
        let entry = Catalog.builtIn[String(id.prefix { $0 != ":" })]
        let remedy = entry.map { " 'parley models pull \($0.name)' fetches it." } ?? ""
        // The name comes from the client, so it is not repeated at any length.
        let shown = known.prefix(32).joined(separator: ", ")
        return ServerError(
            404, .modelNotFound,
            "There is no model \"\(id.prefix(100))\" here.\(remedy) There are: "
                + (shown.isEmpty ? "none. 'parley models pull' fetches the usual one." : "\(shown)."),
            param: "model")
    }
}
