// SPDX-License-Identifier: Apache-2.0

/// One way to parse the bytes so far: a state of a leaf's automaton, and the frames around the leaf.
struct Configuration: Hashable {
    var leaf: LeafID
    /// The state of the leaf's automaton.
    var state: Int32 = 0
    /// For counted strings: the number of characters begun. For declared names: the first property that may follow.
    var low: Int32 = 0
    /// For declared names: the last property that may follow.
    var high: Int32 = 0
    /// The innermost frame, -1 outside all of them.
    var frame: Int32
    /// For new names: the last letter read, -1 before the first.
    var text: Int32 = -1
}

/// A composite node that has been entered and not yet completed.
struct Frame: Hashable {
    enum Phase: UInt8 { case open, item, comma, name, colon, value }

    var node: NodeID
    var phase: Phase
    /// The index in a sequence, or of the next declared property.
    var index: Int32 = 0
    /// The number of completed items or properties.
    var count: Int32 = 0
    /// The number of completed or begun elements that `contains` counts.
    var contained: Int32 = 0
    /// For arrays whose elements must differ: the set of elements so far, one bit for each.
    var used: UInt64 = 0
    /// The last additional name of an object; -1 if it has none.
    var names: Int32 = -1
    var parent: Int32
    /// The number of open arrays and objects, including this one.
    var depth: Int32
}

/// One letter of a name, linked to those before it.
struct Letter: Hashable {
    var byte: UInt8
    var previous: Int32
}

/// A name that an object already has, linked to the one before it.
struct UsedName: Hashable {
    var text: Int32
    var previous: Int32
}
