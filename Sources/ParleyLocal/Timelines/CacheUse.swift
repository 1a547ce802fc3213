// SPDX-License-Identifier: Apache-2.0

/// How much memory the caches of a model's conversations use and have reserved.
package struct CacheUse: Sendable, Hashable {
    /// The number of sequences: those of running replies, and those that are kept.
    package let sequences: Int
    /// The number of sequences that no reply uses.
    package let idleSequences: Int
    /// The number of tokens in all sequences.
    package let tokens: Int
    /// The number of tokens for which memory is reserved: those of sequences that are kept, and for each running reply
    /// its prompt and what it may write.
    package let reservedTokens: Int
    /// The number of tokens for which there is memory; nil if nothing limits them but the number of sequences.
    package let limit: Int?
    /// The memory that a token takes; nil if the engine does not tell.
    package let bytesPerToken: Int?
    /// How many replies have been set back for lack of memory.
    package let setBacks: Int

    /// The memory that the tokens in all sequences take, in bytes; nil if the engine does not tell.
    package var bytes: Int? { bytesPerToken.map { $0 * tokens } }
    /// The memory that is reserved, in bytes; nil if the engine does not tell.
    package var reservedBytes: Int? { bytesPerToken.map { $0 * reservedTokens } }
}
