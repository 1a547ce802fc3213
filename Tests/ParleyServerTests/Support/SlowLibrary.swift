// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleyOpenAI
import ParleyServer
import ParleyTesting

/// What libraries do where a test asks for nothing else: they offer no model, fetch every model at once and remove it.
extension ModelLibrary {
    func catalog() async -> [FetchableModel] { [] }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel { ServedModel(id: reference, created: 0) }

    func remove(_ id: String) async throws {}
}

/// Removes a model, or fails to, when its gate opens.
struct SlowLibrary: ModelLibrary {
    var fails = false
    var gate = Gate()

    func remove(_ id: String) async throws {
        try await gate.wait()
        if fails { throw ServerError(400, .invalidValue, "It cannot be removed.") }
    }
}
