// SPDX-License-Identifier: Apache-2.0

/// How much memory this process may take.
package struct MachineMemory: Sendable, Hashable {
    /// The machine's memory, or the limit of the container if that is lower, in bytes.
    package var physical: Int
    /// The memory that could be taken now without swapping other programs out, in bytes.
    package var available: Int

    /// Creates a reading.
    package init(physical: Int, available: Int) {
        self.physical = physical
        self.available = available
    }
}
