// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// A feed-forward layer of experts, of which a router chooses a few for each token
/// ([Shazeer et al., 2017](https://arxiv.org/abs/1701.06538)).
package struct ExpertFeedForward: Sendable {
    /// `[experts, width]`
    let router: PackedMatrix
    /// What is added to the router's scores, `[experts]`.
    let routerBias: AlignedBuffer?
    /// What is added to probabilities for the choice alone, `[experts]`.
    let bias: AlignedBuffer?
    /// `[experts · expertWidth, width]`
    let gate: PackedMatrix
    /// `[experts · expertWidth, width]`
    let up: PackedMatrix
    /// `[experts · width, expertWidth]`
    let down: PackedMatrix
    /// `[experts, expertWidth]`
    let gateBias: AlignedBuffer?
    /// `[experts, expertWidth]`
    let upBias: AlignedBuffer?
    /// `[experts, width]`
    let downBias: AlignedBuffer?
    /// How much each expert's result counts apart from the router's choice, `[experts]`.
    let factors: AlignedBuffer?
    let activation: GatedActivation
    /// The expert that computes every token.
    let shared: FeedForward?
    /// A gate for the result of that expert, `[1, width]`.
    let sharedGate: PackedMatrix?
    let gating: ExpertGating
    /// A factor for the result of the chosen experts.
    let factor: Float

    /// Loads the tensors of layer `index` by their usual names; one tensor may contain both gates and ups.
    ///
    /// - Throws: ``NetworkError`` if the widths of experts are not multiples of 16, or the choice of experts follows
    ///   another rule; errors from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int, sizes: ExpertSizes, activation: GatedActivation) throws {
        let hyper = loader.hyperparameters
        let name = "blk.\(index).ffn_"
        guard sizes.width.isMultiple(of: 16), hyper.width.isMultiple(of: 16) else {
            throw NetworkError(
                .unsupported,
                "\(loader.file.name): experts of \(sizes.width) × \(hyper.width) weights are not supported; both numbers "
                    + "have to be multiples of 16.")
        }
        router = try loader.matrix(name + "gate_inp.weight", rows: sizes.count, columns: hyper.width)
        routerBias = try loader.vector(ifPresent: name + "gate_inp.bias", count: sizes.count)
        bias = try loader.vector(ifPresent: "blk.\(index).exp_probs_b.bias", count: sizes.count)
        let rows = sizes.count * sizes.width
        let both = name + "gate_up_exps.weight"
        if loader.file.tensor(ifPresent: both) != nil {
            func part(_ rows: Range<Int>) throws -> PackedMatrix {
                try loader.matrices(both, count: sizes.count, rows: rows, of: 2 * sizes.width, columns: hyper.width)
            }
            gate = try part(0..<sizes.width)
            up = try part(sizes.width..<2 * sizes.width)
        } else {
            gate = try loader.matrix(name + "gate_exps.weight", rows: rows, columns: hyper.width)
            up = try loader.matrix(name + "up_exps.weight", rows: rows, columns: hyper.width)
        }
        down = try loader.matrix(name + "down_exps.weight", rows: sizes.count * hyper.width, columns: sizes.width)
        gateBias = try loader.vector(ifPresent: name + "gate_exps.bias", count: rows)
        upBias = try loader.vector(ifPresent: name + "up_exps.bias", count: rows)
        downBias = try loader.vector(ifPresent: name + "down_exps.bias", count: sizes.count * hyper.width)
        factors = try loader.vector(ifPresent: name + "down_exps.scale", count: sizes.count)
        self.activation = activation
        shared =
            sizes.sharedWidth > 0
            ? try FeedForward(loader, layer: index, suffix: "_shexp", width: sizes.sharedWidth, activation: activation)
            : nil
        sharedGate =
            loader.file.tensor(ifPresent: name + "gate_inp_shexp.weight") == nil
            ? nil : try loader.matrix(name + "gate_inp_shexp.weight", rows: 1, columns: hyper.width)
        gating = try Self.gating(loader)
        let scale = try hyper.metadata.float(ifPresent: hyper.key("expert_weights_scale")) ?? 1
        factor = scale == 0 ? 1 : scale
    }

    private static func gating(_ loader: ModelLoader) throws -> ExpertGating {
        let hyper = loader.hyperparameters
        let key = hyper.key("expert_gating_func")
        switch try hyper.metadata.unsigned(ifPresent: key) {
        // With 3, only the chosen experts' scores become probabilities: as much as 1, because they are then scaled to 1.
        case nil, 0, 1, 3: return .softmax
        case 2: return .sigmoid
        case let other?:
            throw NetworkError(.unsupported, "\(loader.file.name): \(key) is \(other), which is not supported.")
        }
    }

    /// Computes `y = Σ weight · expert(x)`; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        score(x, step: step, on: lane)
        runScored(x, into: y, step: step, on: lane)
    }

    /// Computes the router's scores of `x`, for a router whose input is not that of the experts.
    package func score(_ x: FloatRows, step: ModelStep, on lane: Lane) {
        lane.multiply(x, by: router, into: step.expertScores, quantized: step.quantized)
    }

    /// Computes what ``run(_:into:step:on:)`` does, by scores that ``score(_:step:on:)`` has computed.
    package func runScored(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        guard x.count > 1 else { return runRow(x, into: y, step: step, on: lane) }
        let routes = step.routes
        let scores = step.expertScores
        let rows = step.scratch.expertRows(routes.slotCount)
        let gated = step.scratch.expertGate(routes.slotCount)
        let linear = step.scratch.expertUp(routes.slotCount)
        if let routerBias { lane.add(routerBias, to: scores) }
        lane.route(scores, by: gating, bias: bias, factor: factor, factors: factors, into: routes)
        lane.gather(x, by: routes, into: rows)
        lane.multiply(rows, byExpertsOf: (gate, up), into: (gated, linear), routes: routes, quantized: step.quantized)
        if let gateBias { lane.add(gateBias, byExpertsOf: routes, to: gated) }
        if let upBias { lane.add(upBias, byExpertsOf: routes, to: linear) }
        lane.activate(gated, up: linear, with: activation, into: gated)
        lane.multiply(gated, byExpertsOf: down, into: rows, routes: routes, quantized: step.quantized)
        if let downBias { lane.add(downBias, byExpertsOf: routes, to: rows) }
        guard let shared else { return lane.combine(rows, by: routes, into: y) }
        run(shared, x, into: y, step: step, on: lane)
        lane.combine(rows, by: routes, addingTo: y)
    }

    /// Computes the expert that computes every token, when the router's scores are no longer needed.
    private func run(_ shared: FeedForward, _ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        shared.run(x, into: y, step: step, on: lane)
        guard let sharedGate else { return }
        let gate = step.expertScores.columns(from: 0, width: 1)
        lane.multiply(x, by: sharedGate, into: gate, quantized: step.quantized)
        lane.scaleRows(y, bySigmoidOf: gate)
    }

    /// The same for a single row, with few waits of the lanes for each other.
    private func runRow(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        let own = step.scratch.ownRoute(lane: lane.index)
        let gated = step.scratch.expertGate(own.routes.used)
        let linear = step.scratch.expertUp(own.routes.used)
        let parts = step.scratch.expertRows(own.routes.used)
        lane.routeAlone(
            step.expertScores, by: gating, scoreBias: routerBias, bias: bias, factor: factor, factors: factors,
            probabilities: own.probabilities, into: own.routes)
        lane.multiply(
            x, byChosenOf: (gate, up), biases: (gateBias, upBias), into: (gated, linear), routes: own.routes)
        if let shared { run(shared, x, into: y, step: step, on: lane) }
        lane.combine(
            gated, up: linear, byChosenOf: down, bias: downBias, activation: activation, gated: own.gated, parts: parts,
            into: y, adds: shared != nil, routes: own.routes)
    }
}
