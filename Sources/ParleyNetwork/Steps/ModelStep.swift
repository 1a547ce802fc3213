// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The rows that go through the network together, and the scratch they use.
package struct ModelStep {
    /// One a row.
    package var tokens = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// Which rows belong to which sequence, in order; they cover all rows.
    package var sequences: [SequenceRows] = []
    /// One for each of ``sequences``.
    package var caches: [SequenceCache] = []
    package let scratch: StepScratch

    /// A step of no rows.
    package init(scratch: StepScratch) {
        self.scratch = scratch
    }

    /// The hidden state, `[rows, width]`; a few rows are private to each lane.
    package func hidden(on lane: Lane) -> FloatRows { scratch.hidden(tokens.count, lane: lane.index) }
    /// The hidden state after the step, `[rows, width]`: that of the first lane, which took part for certain.
    package var finalHidden: FloatRows { scratch.hidden(tokens.count, lane: 0) }
    /// What enters a layer's branches, `[rows, width]`; as private as the hidden state.
    package func inner(on lane: Lane) -> FloatRows { scratch.inner(tokens.count, lane: lane.index) }
    /// What enters the last product of a feed-forward layer, `[rows, feedForwardWidth]`; as private as the hidden state.
    func activated(on lane: Lane) -> FloatRows { scratch.activated(tokens.count, lane: lane.index) }
    /// What leaves a layer's branches, `[rows, width]`.
    package var branch: FloatRows { scratch.branch(tokens.count) }
    /// `[rows, heads · headWidth]`
    var queries: FloatRows { scratch.queries(tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var keys: FloatRows { scratch.keys(tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var values: FloatRows { scratch.values(tokens.count) }
    /// Attention's output before its projection, `[rows, heads · headWidth]`.
    var mixed: FloatRows { scratch.mixed(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var gate: FloatRows { scratch.gate(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var up: FloatRows { scratch.up(tokens.count) }
    /// The three inputs of a short convolution, `[rows, 3 · width]`.
    var projected: FloatRows { scratch.projected(tokens.count) }
    /// Cosines and sines of each row's position, `[rows, rotaryWidth]`.
    package var angles: FloatRows { scratch.angles(tokens.count) }
    /// The same for layers with a rotation of their own.
    package var localAngles: FloatRows { scratch.localAngles(tokens.count) }
    /// Room for quantised rows.
    var quantized: QuantizedRows { scratch.quantized }
}
