// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The rows that go through the network together, and the scratch memory for them.
package struct ModelStep {
    /// The tokens, one for each row.
    package var tokens = UnsafeBufferPointer<Int32>(start: nil, count: 0)
    /// The rows of each sequence, in order; together they cover all rows.
    package var sequences: [SequenceRows] = []
    /// The caches of the sequences, one for each of ``sequences``.
    package var caches: [SequenceCache] = []
    package let scratch: StepScratch

    /// Creates a step without rows.
    package init(scratch: StepScratch) {
        self.scratch = scratch
    }

    /// The hidden state, `[rows, width]`; if there are only a few rows, each lane has its own copy.
    package func hidden(on lane: Lane) -> FloatRows { scratch.hidden(tokens.count, lane: lane.index) }
    /// The hidden state after the step, `[rows, width]`: the copy of lane 0, because only that lane takes part in every
    /// step.
    package var finalHidden: FloatRows { scratch.hidden(tokens.count, lane: 0) }
    /// The input of a layer's branches, `[rows, width]`; each lane has its own copy whenever it has one of the hidden
    /// state.
    package func inner(on lane: Lane) -> FloatRows { scratch.inner(tokens.count, lane: lane.index) }
    /// The input of the last product of a feed-forward layer, `[rows, feedForwardWidth]`; copied for each lane as the
    /// hidden state is.
    func activated(on lane: Lane) -> FloatRows { scratch.activated(tokens.count, lane: lane.index) }
    /// The output of a layer's branches, `[rows, width]`.
    package var branch: FloatRows { scratch.branch(tokens.count) }
    /// `[rows, heads · headWidth]`
    var queries: FloatRows { scratch.queries(tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var keys: FloatRows { scratch.keys(tokens.count) }
    /// `[rows, kvHeads · headWidth]`
    var values: FloatRows { scratch.values(tokens.count) }
    /// The output of attention before the output projection, `[rows, heads · headWidth]`.
    var mixed: FloatRows { scratch.mixed(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var gate: FloatRows { scratch.gate(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var up: FloatRows { scratch.up(tokens.count) }
    /// The router's scores, `[rows, experts]`.
    var expertScores: FloatRows { scratch.expertScores(tokens.count) }
    /// Which experts compute each row.
    var routes: ExpertRoutes { scratch.routes(tokens.count) }
    /// The three inputs of a short convolution, `[rows, 3 · width]`.
    var projected: FloatRows { scratch.projected(tokens.count) }
    /// The cosines and sines for each row's position, `[rows, rotaryWidth]`.
    package var angles: FloatRows { scratch.angles(tokens.count) }
    /// The same for layers with a different rotary embedding.
    package var localAngles: FloatRows { scratch.localAngles(tokens.count) }
    /// Memory for quantised rows.
    var quantized: QuantizedRows { scratch.quantized }
}
