// SPDX-License-Identifier: Apache-2.0

/// A message in the format of protocol buffers that is being written: fields by their numbers, in order.
///
/// See <https://protobuf.dev/programming-guides/encoding/>.
struct ProtocolBuffer: Sendable {
    /// The bytes of the message.
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Creates a message and fills it.
    init(_ fill: (inout ProtocolBuffer) -> Void) {
        fill(&self)
    }

    /// Appends a whole number.
    mutating func append(_ field: Int, _ value: Int) {
        append(variable: UInt64(field) << 3)
        append(variable: UInt64(bitPattern: Int64(value)))
    }

    /// Appends a float of 32 bits.
    mutating func append(_ field: Int, _ value: Float) {
        append(variable: UInt64(field) << 3 | 5)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
    }

    /// Appends bytes.
    mutating func append(_ field: Int, _ value: [UInt8]) {
        append(variable: UInt64(field) << 3 | 2)
        append(variable: UInt64(value.count))
        bytes += value
    }

    /// Appends a text.
    mutating func append(_ field: Int, _ text: String) { append(field, Array(text.utf8)) }

    /// Appends a message.
    mutating func append(_ field: Int, _ message: ProtocolBuffer) { append(field, message.bytes) }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    private mutating func append(variable value: UInt64) {
        var value = value
        while value > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
