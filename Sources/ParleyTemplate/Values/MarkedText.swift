// SPDX-License-Identifier: Apache-2.0

/// Text as Python has it, a row of code points, each with the mark of its origin.
///
/// Comparing, ordering and hashing ignore the marks. Canonically equivalent texts are different, as in Python and
/// unlike in `String`.
struct MarkedText: Sendable {
    private(set) var scalars: [Unicode.Scalar]
    private(set) var marks: OriginMarks
    /// Whether this is what Python calls `Markup`: text that joins other text only escaped.
    var isMarkup = false

    init() {
        scalars = []
        marks = OriginMarks(.template)
    }

    init(_ text: some StringProtocol, _ origin: TemplateOrigin) {
        self.init(Array(text.unicodeScalars), origin)
    }

    init(_ scalars: [Unicode.Scalar], _ origin: TemplateOrigin) {
        self.scalars = scalars
        marks = OriginMarks(origin)
    }

    var count: Int { scalars.count }
    var isEmpty: Bool { scalars.isEmpty }
    var string: String { String(scalars) }

    /// Input, as soon as a single character is.
    var origin: TemplateOrigin { marks.overall }

    func origin(at index: Int) -> TemplateOrigin { marks.origin(at: index) }

    mutating func append(_ other: MarkedText) {
        guard !other.isEmpty else { return }
        marks.append(other.marks, count: other.count, to: count)
        scalars.append(contentsOf: other.scalars)
    }

    mutating func append(_ scalar: Unicode.Scalar, _ origin: TemplateOrigin) {
        marks.append(OriginMarks(origin), count: 1, to: count)
        scalars.append(scalar)
    }

    mutating func append(_ text: some StringProtocol, _ origin: TemplateOrigin) {
        append(MarkedText(text, origin))
    }

    /// The characters in a range that must lie inside the text.
    subscript(range: Range<Int>) -> MarkedText {
        if range == 0..<count { return self }
        var part = MarkedText(Array(scalars[range]), .template)
        part.marks = marks.slice(range)
        part.isMarkup = isMarkup
        return part
    }

    /// The text with each character replaced by any number of others that inherit its mark.
    func mapScalars(_ transform: (Int, Unicode.Scalar) -> String) -> MarkedText {
        var result = MarkedText()
        result.scalars.reserveCapacity(count)
        for (index, scalar) in scalars.enumerated() { result.append(transform(index, scalar), origin(at: index)) }
        result.isMarkup = isMarkup
        return result
    }

    /// The same characters, plain or as markup.
    func marked(asMarkup isMarkup: Bool) -> MarkedText {
        var copy = self
        copy.isMarkup = isMarkup
        return copy
    }

    /// The text in maximal stretches of one origin.
    var segments: [TemplateSegment] {
        marks.runs(count: count).map { run in
            TemplateSegment(text: String(scalars[run.range]), origin: run.origin)
        }
    }
}

extension MarkedText: Hashable, Comparable {
    static func == (left: MarkedText, right: MarkedText) -> Bool { left.scalars == right.scalars }

    static func < (left: MarkedText, right: MarkedText) -> Bool {
        left.scalars.lexicographicallyPrecedes(right.scalars)
    }

    func hash(into hasher: inout Hasher) {
        scalars.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension String {
    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
