// SPDX-License-Identifier: Apache-2.0

/// Where the data of a tensor comes from that does not lie in the model's file as it is described.
protocol TensorSource: Sendable {
    /// Calls `body` with the whole data; the bytes must not be used after it returns.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result

    /// Releases the memory that holds a range of the data, if it is the pages of a file.
    func releasePages(_ bytes: Range<Int>)
}
