// SPDX-License-Identifier: Apache-2.0

/// One reading of the bytes so far: a place in a leaf, and the frames around it.
struct Configuration: Hashable {
    var leaf: LeafID
    /// The state of the leaf's automaton.
    var state: Int32 = 0
    /// Of counted strings: how many characters have begun. Of declared names: the first property that may come.
    var low: Int32 = 0
    /// Of declared names: the last property that may come.
    var high: Int32 = 0
    /// The innermost frame, -1 outside all of them.
    var frame: Int32
    /// Of new names: the last letter read, -1 before the first.
    var text: Int32 = -1
}

/// A composite node that has been entered and not yet completed.
struct Frame: Hashable {
    enum Phase: UInt8 { case open, item, comma, name, colon, value }

    var node: NodeID
    var phase: Phase
    /// The place in a sequence, or the next declared property.
    var index: Int32 = 0
    /// How many items or properties have been completed.
    var count: Int32 = 0
    /// How many elements that `contains` counts have been completed or begun.
    var contained: Int32 = 0
    /// Where elements must differ: the elements so far, as bits.
    var used: UInt64 = 0
    /// The last of an object's additional names, -1 where it has none.
    var names: Int32 = -1
    var parent: Int32
    /// How many arrays and objects are open, this one included.
    var depth: Int32
}

/// One letter of a name, linked to those before it.
struct Letter: Hashable {
    var byte: UInt8
    var previous: Int32
}

/// A name an object has had, linked to those before it.
struct UsedName: Hashable {
    var text: Int32
    var previous: Int32
}
