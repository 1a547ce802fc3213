// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of a model as the name of a directory.
enum EntryName {
    private static let longest = 200

    /// One path component for any name: names that differ only in case are the same, as on some file systems.
    static func escape(_ name: String) -> String {
        var result = ""
        for (index, byte) in name.lowercased().utf8.enumerated() {
            switch byte {
            case 0x61...0x7a, 0x30...0x39, 0x2d, 0x5f: result.append(Character(Unicode.Scalar(byte)))
            case 0x2e where index > 0: result.append(".")
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" + digits : digits)
            }
        }
        if result.isEmpty { return "%" }
        if result.utf8.count <= longest { return result }
        let digest = SHA256Hash.hexadecimal(of: Data(name.lowercased().utf8))
        return result.prefix(longest - 65) + "+" + digest
    }
}
