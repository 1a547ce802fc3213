// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// A part of a buffer, in which one step computes.
struct ScratchArea: Sendable {
    let buffer: AlignedBuffer
    /// Where it begins, in floats.
    let offset: Int

    /// The first float.
    var floats: UnsafeMutablePointer<Float> { buffer.floats + offset }
}
