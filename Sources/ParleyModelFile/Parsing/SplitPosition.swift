// SPDX-License-Identifier: Apache-2.0

/// Which part of a split model a file is, as its metadata says.
struct SplitPosition {
    /// The number of this part, from 0.
    let number: Int
    /// The number of parts.
    let count: Int
    /// The number of tensors in all parts together.
    let tensorCount: Int?

    /// Real models have a few dozen; file names have five digits for the count.
    private static let maximumParts = 4_096

    /// Reads the position; nil for a file that is not a part of a split model.
    init?(_ metadata: Metadata) throws(ModelFileError) {
        guard let count = try metadata.unsigned(ifPresent: "split.count") else { return nil }
        let number = try metadata.unsigned("split.no")
        guard number < max(count, 1), count <= Self.maximumParts else {
            throw .corrupt(metadata.fileName, "it says it is part \(number) of \(count)")
        }
        self.number = number
        self.count = count
        tensorCount = try metadata.unsigned(ifPresent: "split.tensors.count")
    }

    /// The paths of all parts, given that of one: `-00002-of-00003.gguf` ends the second of three.
    static func paths(of path: String, _ split: SplitPosition) throws(ModelFileError) -> [String] {
        let ending = Self.ending(split.number, of: split.count)
        guard path.hasSuffix(ending) else {
            throw ModelFileError(
                .incompleteSplit,
                "\(path): part \(split.number + 1) of a model split into \(split.count) files must be named "
                    + "…\(ending). Rename the files as they were published.")
        }
        let stem = path.dropLast(ending.count)
        return (0..<split.count).map { stem + Self.ending($0, of: split.count) }
    }

    /// Checks that headers belong to the parts of one model, in order and complete.
    static func check(_ headers: [GGUFHeader]) throws(ModelFileError) {
        for (number, header) in headers.enumerated() {
            let split = try SplitPosition(header.metadata)
            // A file that was merged from parts may still say that it is the only part.
            guard split?.number ?? 0 == number, max(split?.count ?? 1, 1) == headers.count else {
                throw ModelFileError(
                    .incompleteSplit,
                    "\(header.metadata.fileName): should be part \(number + 1) of \(headers.count) but says it is "
                        + "part \((split?.number ?? 0) + 1) of \(split?.count ?? 1). Get all parts of one model.")
            }
            let found = headers.reduce(0) { $0 + $1.tensors.count }
            if let expected = split?.tensorCount, expected != found {
                throw ModelFileError(
                    .incompleteSplit,
                    "\(header.metadata.fileName): the parts should hold \(expected) tensors but hold \(found). "
                        + "Get all parts of one model.")
            }
        }
    }

    private static func ending(_ number: Int, of count: Int) -> String {
        "-\(padded(number + 1))-of-\(padded(count)).gguf"
    }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
