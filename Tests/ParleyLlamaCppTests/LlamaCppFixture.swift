// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting

    extension LlamaCppModel {
        /// Loads a model from a file that exists only during loading.
        static func load(
            _ writer: GGUFWriter, context: Int? = nil, threads: Int = 1, sequences: Int = 4
        ) async throws -> LlamaCppModel {
            try await withModelFile(writer) { url in
                try await load(url, configuration: .init(context: context, threads: threads, sequences: sequences))
            }
        }
    }

    /// Runs with a model in a file that is removed afterwards.
    func withModelFile<Result>(_ writer: GGUFWriter, _ body: (URL) async throws -> Result) async throws -> Result {
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }
#endif
