// SPDX-License-Identifier: Apache-2.0

/// The index of a node of a program.
typealias NodeID = Int32
/// The index of a leaf of a program.
typealias LeafID = Int32

/// A node of a compiled grammar. Nodes refer to each other by index, so that schemas may be recursive.
enum Node {
    /// A node that no text satisfies.
    case never
    case leaf(LeafID)
    case sequence([NodeID])
    case choice([NodeID])
    case repetition(Repetition)
    case array(ArrayShape)
    case object(ObjectShape)

    /// How many other nodes it refers to.
    var partCount: Int {
        switch self {
        case .never, .leaf: 0
        case .sequence(let parts), .choice(let parts): parts.count
        case .repetition: 2
        case .array(let shape): shape.prefix.count + 1 + 64 * (shape.distinct?.values.count ?? 0)
        case .object(let shape): shape.properties.count + shape.others.count
        }
    }
}

/// A repeated node.
struct Repetition {
    var item: NodeID
    var separator: NodeID?
    var minimum: Int32
    var maximum: Int32
}

/// A leaf of a grammar: an automaton over bytes, with additional conditions.
struct Leaf {
    enum Kind {
        case plain
        /// Strings of bounded length.
        case counted(LengthBounds)
        /// The names of an object's declared properties.
        case declaredName(ObjectShape)
        /// A name that the object does not have yet; the number says which of its groups of additional names.
        case newName(ObjectShape, Int)
    }

    var automaton: ByteDFA
    var kind: Kind = .plain
}

/// The punctuation around and between the parts of an array or object.
struct Punctuation {
    /// The opening bracket and white space after it.
    var open: LeafID
    /// The comma and white space after it.
    var comma: LeafID
    /// The closing bracket of an empty array or object.
    var closeEmpty: LeafID
    /// White space and the closing bracket.
    var close: LeafID
}

/// An array: its first elements, the others, and how many there may be.
struct ArrayShape {
    var punctuation: Punctuation
    var prefix: [NodeID]
    var rest: NodeID?
    var minimum: Int32
    var maximum: Int32
    var contained: Contained?
    /// The possible elements where they must differ; first and other elements have no nodes of their own then.
    var distinct: Distinct?

    /// How many of the first elements have schemas of their own.
    var prefixCount: Int32 { Int32(clamping: distinct?.prefix.count ?? prefix.count) }

    /// The elements that `contains` counts.
    struct Contained {
        /// The nodes of the elements that count, place by place.
        var prefix: [NodeID]
        var rest: NodeID?
        /// The node of elements that do not count, for every place; only where there is a maximum.
        var without: NodeID?
        var minimum: Int32
        var maximum: Int32

        func element(at index: Int32) -> NodeID? { Int(index) < prefix.count ? prefix[Int(index)] : rest }
    }

    func element(at index: Int32) -> NodeID? { Int(index) < prefix.count ? prefix[Int(index)] : rest }
}

/// An object: its declared properties in their order, then others.
final class ObjectShape: Sendable {
    struct Property {
        var value: NodeID
        var isRequired: Bool
    }

    /// Additional properties whose names are matched by the same patterns.
    struct Others {
        /// Reads the name.
        let name: LeafID
        let value: NodeID
        /// For each state of the name's automaton, how many names can be completed; empty where they are endless.
        let completions: [Int32]
    }

    let punctuation: Punctuation
    let properties: [Property]
    /// Reads a declared name with its colon; the tag is the property's index.
    let declaredNames: LeafID
    /// For each state of ``declaredNames``, the properties it may still become, ascending.
    let reachable: [[Int32]]
    /// The indices of the declared names, spelled as in a JSON string, with the names that are forbidden.
    let indices: [[UInt8]: Int]
    /// The additional properties.
    let others: [Others]
    /// The colon after an additional name.
    let colon: LeafID
    let minimum: Int32
    let maximum: Int32
    /// For each property, and after the last one: how many required ones are still to come.
    let requiredFrom: [Int32]
    /// For each property, and after the last one: the first required one from there on, or the number of properties.
    let nextRequired: [Int32]

    init(
        punctuation: Punctuation, properties: [Property], declaredNames: LeafID, reachable: [[Int32]],
        indices: [[UInt8]: Int], others: [Others], colon: LeafID, minimum: Int32, maximum: Int32
    ) {
        self.punctuation = punctuation
        self.properties = properties
        self.declaredNames = declaredNames
        self.reachable = reachable
        self.indices = indices
        self.others = others
        self.colon = colon
        self.minimum = minimum
        self.maximum = maximum
        var requiredFrom = [Int32](repeating: 0, count: properties.count + 1)
        var nextRequired = [Int32](repeating: Int32(properties.count), count: properties.count + 1)
        for index in properties.indices.reversed() {
            requiredFrom[index] = requiredFrom[index + 1] + (properties[index].isRequired ? 1 : 0)
            nextRequired[index] = properties[index].isRequired ? Int32(index) : nextRequired[index + 1]
        }
        self.requiredFrom = requiredFrom
        self.nextRequired = nextRequired
    }
}
