// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// A loaded model that turns texts into vectors, such that texts of similar meaning have similar directions: the
/// protocol of engines for embeddings.
///
/// Weights are immutable and shared by all calls, which may come from any number of tasks. The model is unloaded when the
/// last reference to it is released.
public protocol EmbeddingModel: Sendable {
    /// The name, architecture and sizes of the model.
    var info: ModelDescription { get }

    /// The model's tokenizer.
    var tokenizer: Tokenizer { get }

    /// The longest text in tokens, those that begin and end it included.
    var context: Int { get }

    /// The number of values in a vector.
    var dimensions: Int { get }

    /// Reports when the engine has freed the model's memory; nil, the default, if that happens with the release of the
    /// last reference.
    var lifetime: ModelLifetime? { get }

    /// Computes the vector of each text, of length 1.
    ///
    /// A vector does not depend on the other texts of the call, nor on calls at the same time. If the task is cancelled,
    /// the call ends within one step, which has a few hundred tokens.
    ///
    /// - Parameter texts: the tokens of each text, with those that begin and end it; see ``tokens(of:)``.
    /// - Returns: the vectors, in the order of the texts.
    /// - Throws: `CancellationError`; ``RuntimeError`` with code `contextExceeded` if a text is longer than ``context``,
    ///   `invalidInput` if it is empty or has tokens beyond the vocabulary.
    func embed(_ texts: [[TokenID]]) async throws -> [[Float]]
}

extension EmbeddingModel {
    /// Nil: memory is freed with the release of the last reference.
    public var lifetime: ModelLifetime? { nil }

    /// The tokens of a text, with those that begin and end it.
    ///
    /// Text becomes no control token, whatever it spells.
    ///
    /// - Parameter text: the text.
    /// - Returns: the tokens, which may be more than ``context``.
    public func tokens(of text: String) -> [TokenID] {
        let begin = tokenizer.addsBeginningOfText ? tokenizer.beginningOfText : nil
        let end = tokenizer.addsEndOfText ? tokenizer.endOfText : nil
        return [begin].compactMap(\.self) + tokenizer.encode(text) + [end].compactMap(\.self)
    }

    /// The first tokens of a text that has more than ``context``, with the one that ends it.
    ///
    /// - Parameter tokens: the tokens of a text, as ``tokens(of:)`` returns them.
    /// - Returns: at most ``context`` tokens.
    public func truncated(_ tokens: [TokenID]) -> [TokenID] {
        guard tokens.count > context else { return tokens }
        let end = tokenizer.addsEndOfText ? tokenizer.endOfText : nil
        guard let end, tokens.last == end else { return Array(tokens.prefix(context)) }
        return Array(tokens.prefix(context - 1)) + [end]
    }
}
