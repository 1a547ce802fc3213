// SPDX-License-Identifier: Apache-2.0

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Hashable {
    /// The width.
    package var columns: Int
    /// The height.
    package var rows: Int

    /// Creates a size; the default is the traditional one.
    package init(columns: Int = 80, rows: Int = 24) {
        self.columns = columns
        self.rows = rows
    }
}
