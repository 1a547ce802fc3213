// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
package import ParleyModelFile
public import ParleyModels
package import ParleyRuntime

extension LocalModelRunner {
    /// Loads a model by its name in the catalog or by the path of its file, and fetches it first where it is missing.
    ///
    /// - Parameters:
    ///   - engines: the engines to choose from; the first that reads the file is taken.
    ///   - store: where models are.
    ///   - progress: told how far it is, on no particular thread.
    /// - Throws: ``ConversationError`` with code `downloadFailed` or `modelLoadingFailed`;
    ///   `CancellationError`.
    public static func load(
        _ model: String, engines: [EngineDescriptor], store: ModelStore = .standard(),
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalModelRunner {
        let found = try await find(model, in: store) { progress(.fetching($0)) }
        guard let engine = engines.first(where: { $0.reads(found.url) }) else {
            throw ConversationError(
                .modelLoadingFailed,
                "No engine reads \(found.name). There are: \(engines.map(\.name).joined(separator: ", ")).")
        }
        do {
            let (model, contextSize) = try await engine.load(found.url, configuration) { progress(.loading($0)) }
            return try LocalModelRunner(
                model, id: found.name, contextSize: contextSize, sampling: .init(found.entry?.sampling),
                timelines: configuration.timelines)
        } catch let error as ConversationError {
            throw error
        } catch let error where !(error is CancellationError) {
            throw ConversationError(.modelLoadingFailed, "\(error)", cause: error)
        }
    }

    private static func find(
        _ model: String, in store: ModelStore, progress: @escaping @Sendable (FetchEvent) -> Void
    ) async throws -> StoredModel {
        var found: StoredModel
        do {
            found = try store.find(model)
        } catch {
            throw ConversationError(.modelLoadingFailed, "\(error)", cause: error)
        }
        guard !found.isPresent, let entry = found.entry else { return found }
        do {
            found.url = try await store.fetch(entry, report: progress)
        } catch let error where !(error is CancellationError) {
            throw ConversationError(.downloadFailed, "\(error)", cause: error)
        }
        return found
    }
}

extension SamplingOptions.Partial {
    /// The sampling that a file or the catalog recommends.
    package init(_ defaults: SamplingDefaults?) {
        self.init(
            temperature: defaults?.temperature, topK: defaults?.topK, topP: defaults?.topP, minP: defaults?.minP,
            repetitionPenalty: defaults?.repetitionPenalty)
    }
}
