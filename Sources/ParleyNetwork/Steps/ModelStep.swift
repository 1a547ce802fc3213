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
    /// The output of attention or of a recurrent part before the output projection, `[rows, heads · headWidth]`, or wider.
    var mixed: FloatRows { scratch.mixed(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var gate: FloatRows { scratch.gate(tokens.count) }
    /// `[rows, feedForwardWidth]`
    var up: FloatRows { scratch.up(tokens.count) }
    /// The router's scores, `[rows, experts]`.
    var expertScores: FloatRows { scratch.expertScores(tokens.count) }
    /// Which experts compute each row.
    var routes: ExpertRoutes { scratch.routes(tokens.count) }
    /// What recurrent parts and gated attention compute first, `[rows, projectedWidth]`.
    var projected: FloatRows { scratch.projected(tokens.count) }
    /// What each layer adds for the token of each row, `[rows, layers · layerEmbeddingWidth]`.
    var layerEmbeddings: FloatRows { scratch.layerEmbeddings(tokens.count) }
    /// Memory of the same size.
    var layerProjections: FloatRows { scratch.layerProjections(tokens.count) }
    /// A second branch, or a sum of two, `[rows, width]`; only in networks with experts or several hidden states.
    package var sum: FloatRows { scratch.sum(tokens.count) }
    /// The hidden states of networks with several, `[rows, streams · width]`.
    package var streams: FloatRows { scratch.streams(tokens.count) }
    /// One of them, `[rows, width]`.
    func stream(_ index: Int) -> FloatRows { streams.columns(from: index * branch.width, width: branch.width) }
    /// What a layer predicts them to be, `[rows, streams · width]`.
    var predictions: FloatRows { scratch.predictions(tokens.count) }
    /// How much of each of them a row consists of, `[rows, streams]`.
    var modalities: FloatRows { scratch.modalities(tokens.count) }
    /// The coefficients made of that, `[rows, streams · streams]`.
    var coefficients: FloatRows { scratch.coefficients(tokens.count) }
    /// The cosines and sines for each row's position, `[rows, rotaryWidth]`.
    package var angles: FloatRows { scratch.angles(tokens.count) }
    /// The same for layers with a different rotary embedding.
    package var localAngles: FloatRows { scratch.localAngles(tokens.count) }
    /// Memory for quantised rows.
    var quantized: QuantizedRows { scratch.quantized }
}
