// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// What a library keeps of one sequence: the tokens that have run, as keys and values.
///
/// For libraries that run one sequence at a time. Only the model's thread uses it, but for ``interrupt()``.
package protocol SerialCache: AnyObject, Sendable {
    /// Runs tokens after those that are there.
    ///
    /// - Parameters:
    ///   - tokens: the tokens; at least one, and at most ``SerialEngine/mostRows``.
    ///   - wanted: the logits of how many of the last tokens will be read; 0 for none.
    /// - Throws: an error of the library, or that the step was interrupted; afterwards the cache has to be rewound.
    func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws

    /// Passes the logits of the last tokens that were run, one row after the other: of those that were wanted, of all,
    /// or of the last one alone, if the library computes no others.
    func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result

    /// Removes everything from a position on.
    ///
    /// - Throws: an error of the library; the cache is not used any more then.
    func rewind(to position: Int) throws

    /// Ends the step that runs; may be called on any thread.
    func interrupt()

    /// Lets steps run again after ``interrupt()``.
    func resume() throws
}
