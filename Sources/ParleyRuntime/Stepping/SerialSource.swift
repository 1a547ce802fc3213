// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
package import ParleyTokenizer

/// What a ``SerialModel`` is loaded from: a folder, and the library that runs its network, one sequence at a time.
package protocol SerialSource: SendableMetatype {
    /// What the library keeps of a sequence.
    associatedtype Cache: SerialCache

    /// The tokenizer of a folder.
    ///
    /// - Throws: an error if its descriptions alone say that the library cannot run it.
    static func tokenizer(of url: URL) throws -> TokenizerDescription

    /// Reads a folder's descriptions, and opens of its network what the library has to open to tell the sizes.
    ///
    /// - Throws: errors of the files and of the library.
    init(contentsOf url: URL) throws

    /// The folder's path, for messages.
    var name: String { get }

    /// The name, architecture, sizes and chat template of the model.
    var info: ModelDescription { get }

    /// The model's tokenizer.
    var tokenizer: TokenizerDescription { get }

    /// The memory that the model will take in the library.
    var memoryPlan: SerialMemoryPlan { get }

    /// The longest context that is chosen without a request, in tokens.
    var usualContext: Int { get }

    /// The longest sequence that the network can hold, in tokens; nil, the default, if only memory limits it.
    var longestContext: Int? { get }

    /// Loads the weights.
    ///
    /// - Parameters:
    ///   - threads: the number of threads that run a step together, if the library lets it be chosen.
    ///   - progress: receives the completed fraction, from 0 to 1, and returns whether to continue.
    /// - Returns: creates an empty cache of at most the given number of tokens.
    /// - Throws: an error of the library.
    func load(threads: Int, progress: @escaping (Double) -> Bool) throws -> (_ capacity: Int) throws -> Cache
}

extension SerialSource {
    /// Nil: only memory limits it.
    package var longestContext: Int? { nil }

    /// Why the library cannot run a folder, judged by its descriptions alone; nil if it can.
    package static func refusal(of url: URL) -> String? {
        do {
            _ = try Tokenizer(tokenizer(of: url))
            return nil
        } catch {
            return "\(error)"
        }
    }
}
