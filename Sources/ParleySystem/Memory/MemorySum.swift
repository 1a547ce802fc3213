// SPDX-License-Identifier: Apache-2.0

/// What a model takes of the machine's memory, contribution by contribution.
///
/// It is held against the memory that is available before a model is loaded, and is listed in full where that is not
/// enough.
package struct MemorySum: Sendable, Hashable {
    /// One contribution, such as the weights.
    package struct Term: Sendable, Hashable {
        /// The name of the contribution, for messages.
        package let name: String
        package let size: ByteSize

        package init(_ name: String, _ size: ByteSize) {
            self.name = name
            self.size = size
        }
    }

    /// The contributions, in the order in which they are named.
    package var terms: [Term]

    package init(_ terms: [Term]) {
        self.terms = terms
    }

    /// All contributions together.
    package var total: ByteSize { terms.reduce(.zero) { $0 + $1.size } }

    /// Says that the sum does not fit, with each contribution, what there is, and what to do.
    ///
    /// - Parameters:
    ///   - name: the model's name.
    ///   - memory: the memory that this process may take.
    ///   - remedy: what to do.
    /// - Returns: the message.
    package func refusal(of name: String, memory: MachineMemory, remedy: String) -> String {
        let sum = terms.map { "\($0.name) \($0.size)" }.joined(separator: " + ")
        return "\(name) does not fit into memory: \(sum) = \(total), but "
            + "\(ByteSize(clamping: memory.available)) are available of \(ByteSize(clamping: memory.physical)). "
            + remedy
    }
}
