// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import ParleyModels

extension ModelsCommand {
    /// `parley models pull`
    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetches a model.",
            discussion: "What has come is kept when it is interrupted, and the next pull goes on from there.")

        @Argument(help: .model)
        var model: String

        @Option(help: "The most that all models may take together, such as 20GB. (default: $PARLEY_MODELS_QUOTA)")
        var quota: ByteSize?

        @OptionGroup
        var fetching: FetchingOptions

        func run() async throws {
            let console = Console()
            var library = ModelLibrary(console: console)
            if let quota { library.store.quota = quota.bytes }
            let fetched = try await library.pull(model, isOffline: fetching.offline)
            console.line(fetched.path)
        }
    }
}

extension ByteSize: ExpressibleByArgument {
    /// Reads an amount of storage.
    public init?(argument: String) {
        self.init(argument)
    }
}
