// SPDX-License-Identifier: Apache-2.0

/// A compiled grammar or schema: an automaton over the bytes of allowed replies.
///
/// It is immutable, and may be used by any number of generations and threads at the same time. It does not depend on a
/// vocabulary; ``TokenMasks`` combines it with one.
///
/// ```swift
/// let schema = try JSONValue(parsing: #"{"type": "object", "properties": {"age": {"type": "integer"}}}"#)
/// let program = try ConstraintProgram(schema: schema)
/// program.accepts(Array(#"{"age": 7}"#.utf8))  // true
/// ```
package final class ConstraintProgram: Sendable {
    /// The height of nodes that can never be completed.
    static let endless = Int32.max / 4

    let nodes: [Node]
    let leaves: [Leaf]
    /// For each node, the minimum depth of nested arrays and objects that completes it.
    let heights: [Int32]
    /// The largest height of a node that can be completed.
    let tallest: Int32
    let root: NodeID
    let depthLimit: Int32

    init(
        nodes: [Node], leaves: [Leaf], root: NodeID, depthLimit: Int32, budget: CompilationBudget
    ) throws(ConstraintError) {
        self.nodes = nodes
        self.leaves = leaves
        self.root = root
        self.depthLimit = depthLimit
        heights = try Self.heights(of: nodes, leaves, limit: depthLimit, budget)
        tallest = heights.lazy.filter { $0 < Self.endless }.max() ?? 0
    }

    /// Whether there is a reply that satisfies the program.
    var isSatisfiable: Bool { heights[Int(root)] <= depthLimit }

    private static func heights(
        of nodes: [Node], _ leaves: [Leaf], limit: Int32, _ budget: CompilationBudget
    ) throws(ConstraintError) -> [Int32] {
        var heights = [Int32](repeating: endless, count: nodes.count)
        var hasChanged = true
        // Heights only fall, and each pass settles at least one more level; heights beyond the limit do not matter.
        while hasChanged {
            hasChanged = false
            for index in nodes.indices.reversed() {
                try budget.spend(1 + nodes[index].partCount)
                let height = height(of: nodes[index], leaves, heights)
                if height < heights[index], height <= limit {
                    heights[index] = height
                    hasChanged = true
                }
            }
        }
        return heights
    }

    /// The least height of an array that satisfies `contains` at the first places where that is possible.
    private static func containedHeight(_ shape: ArrayShape, _ height: (NodeID) -> Int32) -> Int32 {
        guard let contained = shape.contained, contained.minimum > 0 else { return 0 }
        guard contained.minimum <= min(contained.maximum, shape.maximum) else { return endless }
        var (left, tallest) = (contained.minimum, Int32(0))
        for (index, node) in contained.prefix.enumerated() where Int32(index) < shape.maximum {
            tallest = max(tallest, min(height(node), height(shape.prefix[index])))
            guard height(node) < endless else { continue }
            tallest = max(tallest, height(node))
            left -= 1
            if left == 0 { return tallest }
        }
        guard let rest = contained.rest, shape.maximum - Int32(clamping: contained.prefix.count) >= left else {
            return endless
        }
        return max(tallest, height(rest))
    }

    private static func height(of node: Node, _ leaves: [Leaf], _ heights: [Int32]) -> Int32 {
        func height(_ node: NodeID) -> Int32 { heights[Int(node)] }
        switch node {
        case .never: return endless
        case .leaf(let leaf): return leaves[Int(leaf)].automaton.isEmpty ? endless : 0
        case .sequence(let parts): return parts.map(height).max() ?? 0
        case .choice(let alternatives): return alternatives.map(height).min() ?? endless
        case .repetition(let repetition):
            guard repetition.minimum <= repetition.maximum else { return endless }
            return repetition.minimum == 0 ? 0 : height(repetition.item)
        case .array(let shape):
            guard shape.minimum <= shape.maximum else { return endless }
            if let distinct = shape.distinct {
                return distinct.height(filling: Int(shape.minimum), height, endless: endless).map { 1 + $0 } ?? endless
            }
            let needed = shape.prefix.prefix(Int(shape.minimum)).map(height)
            let others = shape.minimum > shape.prefix.count ? [shape.rest.map(height) ?? endless] : []
            return 1 + max((needed + others).max() ?? 0, containedHeight(shape, height))
        case .object(let shape):
            let required = shape.properties.filter(\.isRequired).map { height($0.value) }
            guard shape.minimum <= shape.maximum, required.count <= shape.maximum else { return endless }
            guard shape.minimum > required.count else { return 1 + (required.max() ?? 0) }
            // The lowest additional properties make up the minimum, as often as needed.
            let other = shape.others.map { height($0.value) }.min() ?? endless
            let optional = shape.properties.filter { !$0.isRequired }.map { height($0.value) }
            let lower = optional.filter { $0 < other }.sorted()
            let missing = Int(shape.minimum) - required.count
            return 1 + max(required.max() ?? 0, missing <= lower.count ? lower[missing - 1] : other)
        }
    }
}
