// SPDX-License-Identifier: Apache-2.0

/// The memory that this process may use.
package struct MachineMemory: Sendable, Hashable {
    /// The machine's memory or the container's limit, whichever is lower, in bytes.
    package var physical: Int
    /// The memory that can be taken now without swapping out other programs, in bytes.
    package var available: Int

    /// Creates a value from its two sizes.
    package init(physical: Int, available: Int) {
        self.physical = physical
        self.available = available
    }
}
