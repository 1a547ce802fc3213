// SPDX-License-Identifier: Apache-2.0

/// The bytes that represent a control token: its spelling between 0xFF and 0xFE, two bytes that do not occur in UTF-8.
enum ControlSpelling {
    static func bytes(of spelling: String) -> [UInt8] { [0xFF] + Array(spelling.utf8) + [0xFE] }

    /// Whether a byte begins or ends a control token.
    static func frames(_ byte: UInt8) -> Bool { byte >= 0xFE }
}
