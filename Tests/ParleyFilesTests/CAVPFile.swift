// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One of NIST's files of test vectors under `Goldens/cavp`.
struct CAVPFile {
    struct UnreadableError: Error {}

    /// The lines of the form `name = value`, in their order.
    private let fields: [(name: Substring, value: Substring)]

    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Goldens/cavp/\(name).rsp"), encoding: .utf8)
        fields = text.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: " ")
            return parts.count == 3 && parts[1] == "=" ? (parts[0], parts[2]) : nil
        }
    }

    /// The values of the fields of this name, read as hexadecimal digits.
    func bytes(of name: String) throws -> [[UInt8]] {
        try fields.filter { $0.name == name }.map { field in
            let digits = try field.value.map { digit -> UInt8 in
                guard let value = digit.hexDigitValue else { throw UnreadableError() }
                return UInt8(value)
            }
            return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }
    }

    /// Messages with their digests.
    func messages() throws -> [(message: [UInt8], digest: [UInt8])] {
        let counts = fields.filter { $0.name == "Len" }.compactMap { Int($0.value) }
        let (messages, digests) = (try bytes(of: "Msg"), try bytes(of: "MD"))
        guard !counts.isEmpty, counts.count == messages.count, counts.count == digests.count else {
            throw UnreadableError()
        }
        // The empty message is written as one zero byte.
        return zip(counts, zip(messages, digests)).map { (Array($1.0.prefix($0 / 8)), $1.1) }
    }
}
