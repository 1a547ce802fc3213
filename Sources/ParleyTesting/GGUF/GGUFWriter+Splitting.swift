// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension GGUFWriter {
    /// The same model in several files: the first has the metadata, each has some tensors.
    public func split(tensorsPerPart: Int) -> [GGUFWriter] {
        let count = max(1, (tensors.count + tensorsPerPart - 1) / tensorsPerPart)
        return (0..<count).map { number in
            var part = self
            if number > 0 { part.metadata = [] }
            part.set("split.no", .uint16(UInt16(number)))
            part.set("split.count", .uint16(UInt16(count)))
            part.set("split.tensors.count", .int32(Int32(tensors.count)))
            part.tensors = Array(tensors.dropFirst(number * tensorsPerPart).prefix(tensorsPerPart))
            return part
        }
    }

    /// Writes the model as several files, `name-00001-of-00003.gguf` and so on.
    ///
    /// - Returns: the files, in order.
    /// - Throws: what Foundation throws.
    public func writeParts(tensorsPerPart: Int, named name: String, in directory: URL) throws -> [URL] {
        let parts = split(tensorsPerPart: tensorsPerPart)
        let count = Self.padded(parts.count)
        return try parts.enumerated().map { number, part in
            let url = directory.appending(path: "\(name)-\(Self.padded(number + 1))-of-\(count).gguf")
            try part.write(to: url)
            return url
        }
    }

    private static func padded(_ number: Int) -> String {
        String(String(100_000 + number).dropFirst())
    }
}
