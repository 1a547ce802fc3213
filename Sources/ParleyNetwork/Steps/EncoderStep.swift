// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The texts that go through an encoder together, and the scratch memory for them.
package struct EncoderStep {
    /// The tokens of all texts, one for each row.
    package var tokens = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// The rows of each text, in order, and where its keys and values begin in the scratch's cache.
    package var texts: [SequenceRows] = []
    package let scratch: EncoderScratch

    /// Creates a step without texts.
    package init(scratch: EncoderScratch) {
        self.scratch = scratch
    }

    /// The hidden state, `[rows, width]`.
    package var hidden: FloatRows { scratch.rows(.hidden, tokens.count) }
    /// The output of a layer's branches, `[rows, width]`.
    var branch: FloatRows { scratch.rows(.branch, tokens.count) }
    /// `[rows, heads · headWidth]`
    var queries: FloatRows { scratch.rows(.queries, tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var keys: FloatRows { scratch.rows(.keys, tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var values: FloatRows { scratch.rows(.values, tokens.count) }
    /// The output of attention before the output projection, `[rows, heads · headWidth]`.
    var mixed: FloatRows { scratch.rows(.mixed, tokens.count) }
    /// `[rows, feedForwardWidth]`
    var inner: FloatRows { scratch.rows(.inner, tokens.count) }
    /// The result, a row for each text, `[texts, width]`.
    package var pooled: FloatRows { scratch.rows(.pooled, texts.count) }
}
