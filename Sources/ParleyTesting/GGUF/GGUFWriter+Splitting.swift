// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension GGUFWriter {
    /// Divides the model into several files, of which the first has the metadata and each has some of the tensors.
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

    /// Writes the model as several files, named `name-00001-of-00003.gguf` and so on.
    ///
    /// - Returns: the files, in order.
    /// - Throws: errors from Foundation.
    public func writeParts(tensorsPerPart: Int, named name: String, in directory: URL) throws -> [URL] {
        let parts = split(tensorsPerPart: tensorsPerPart)
        return try parts.enumerated().map { number, part in
            let url = directory.appending(path: SplitName(name, part: number + 1, count: parts.count).name)
            try part.write(to: url)
            return url
        }
    }
}
