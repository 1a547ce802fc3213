// SPDX-License-Identifier: Apache-2.0

/// A text as in Python: code points, each with its origin.
///
/// The text is stored as UTF-8, and slices share the storage, so that they are cheap. Positions are byte offsets,
/// unlike in Python; `index(ofCharacter:)` and `characters(before:)` convert. Only a `TextWriter` creates text.
///
/// Comparisons ignore origins. Canonically equivalent texts are different, as in Python and unlike in `String`.
struct MarkedText: Sendable {
    private let buffer: TextBuffer
    private let start: UInt32
    private let end: UInt32
    /// Whether this is Python's `Markup`: other text is escaped before it is joined with it.
    let isMarkup: Bool

    private init(_ buffer: TextBuffer, _ start: Int, _ end: Int, isMarkup: Bool) {
        self.buffer = buffer
        self.start = UInt32(start)
        self.end = UInt32(end)
        self.isMarkup = isMarkup
    }

    fileprivate init(_ buffer: TextBuffer, isMarkup: Bool) {
        self.init(buffer, 0, buffer.bytes.count, isMarkup: isMarkup)
    }

    /// Creates text from the template's source, which is charged with the source, or from a name in Parley's own code.
    init(source text: String) {
        let bytes = Array(text.utf8)
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        self.init(
            TextBuffer(bytes: bytes, marks: OriginMarks(.template), isASCII: isASCII, meter: nil, held: 0),
            isMarkup: false)
    }

    static let empty = MarkedText(source: "")
    static let space = MarkedText(source: " ")

    /// The length of the text in bytes.
    var size: Int { Int(end - start) }
    var isEmpty: Bool { start == end }
    /// Whether all characters are ASCII. For a slice this is false if the whole text has other characters.
    var isASCII: Bool { buffer.isASCII }

    /// The origin of the text: input, if any character is input.
    var origin: TemplateOrigin { buffer.marks.origin(of: Int(start)..<Int(end)) }

    func origin(at index: Int) -> TemplateOrigin { buffer.marks.origin(at: Int(start) + index) }

    /// The end and origin of the run of one origin that contains a byte.
    func run(at index: Int) -> (end: Int, origin: TemplateOrigin) {
        let run = buffer.marks.run(at: Int(start) + index, before: Int(end))
        return (run.end - Int(start), run.origin)
    }

    /// The bytes in a range, which must begin and end between characters. Nothing is copied.
    subscript(range: Range<Int>) -> MarkedText {
        MarkedText(buffer, Int(start) + range.lowerBound, Int(start) + range.upperBound, isMarkup: isMarkup)
    }

    subscript(index: Int) -> UInt8 { buffer.bytes[Int(start) + index] }

    /// The same characters, plain or as markup.
    func marked(asMarkup isMarkup: Bool) -> MarkedText {
        MarkedText(buffer, Int(start), Int(end), isMarkup: isMarkup)
    }

    /// Gives access to the bytes; the caller charges the work of reading.
    func withBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(TemplateError) -> Result
    ) throws(TemplateError) -> Result {
        let range = Int(start)..<Int(end)
        return try buffer.bytes.withUnsafeBufferPointer { (bytes) throws(TemplateError) in
            try body(UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }

    /// Whether the bytes are equal. This takes time only for texts of equal length.
    func hasSameBytes(as other: MarkedText) -> Bool {
        size == other.size && (buffer === other.buffer && start == other.start || bytes.elementsEqual(other.bytes))
    }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The bytes, shared with this text.
    var bytes: ArraySlice<UInt8> { buffer.bytes[Int(start)..<Int(end)] }
}

/// The bytes of a text and of its parts.
///
/// It is immutable. A buffer with a meter belongs to one rendering, which runs on one thread. Buffers of a template's
/// source have no meter, and only these are shared between threads.
private final class TextBuffer: @unchecked Sendable {
    let bytes: [UInt8]
    let marks: OriginMarks
    let isASCII: Bool
    private let meter: Meter?
    private let held: Int

    init(bytes: [UInt8], marks: OriginMarks, isASCII: Bool, meter: Meter?, held: Int) {
        self.bytes = bytes
        self.marks = marks
        self.isASCII = isASCII
        self.meter = meter
        self.held = held
    }

    deinit {
        meter?.release(held)
    }
}

/// The only way to create text: all work and memory is charged before anything is written.
final class TextWriter {
    let meter: Meter
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var marks = OriginMarks(.template)
    @exclusivity(unchecked) private var isASCII = true
    @exclusivity(unchecked) private var capacity = 0
    @exclusivity(unchecked) private var held = 0

    /// The memory of a text in addition to its bytes.
    private static let overhead = 160
    /// Byte offsets have 32 bits.
    private static let mostBytes = Int(Int32.max)

    init(_ meter: Meter) {
        self.meter = meter
    }

    deinit {
        meter.release(held)
    }

    /// The number of bytes written.
    var size: Int { bytes.count }

    /// The text written since the last call.
    func finish(asMarkup isMarkup: Bool = false) throws(TemplateError) -> MarkedText {
        guard !bytes.isEmpty else { return MarkedText.empty.marked(asMarkup: isMarkup) }
        try meter.reserve(TextWriter.overhead)
        let text = MarkedText(
            TextBuffer(
                bytes: bytes, marks: marks, isASCII: isASCII, meter: meter, held: held + TextWriter.overhead),
            isMarkup: isMarkup)
        (bytes, marks, isASCII, capacity, held) = ([], OriginMarks(.template), true, 0, 0)
        return text
    }

    /// Reserves memory for text about to be written, so that it is not copied again.
    func reserve(_ count: Int) throws(TemplateError) {
        if count > capacity - bytes.count { try makeRoom(count) }
    }

    /// Writes text with its origins.
    func append(_ text: MarkedText) throws(TemplateError) {
        guard !text.isEmpty else { return }
        try prepare(text.size)
        var index = 0
        while index < text.size {
            let run = text.run(at: index)
            try mark(run.origin, count: run.end - index, at: bytes.count + index)
            try meter.work(4)
            index = run.end
        }
        isASCII = isASCII && text.isASCII
        bytes.append(contentsOf: text.bytes)
    }

    /// Writes text with another origin.
    func append(_ text: MarkedText, as origin: TemplateOrigin) throws(TemplateError) {
        guard !text.isEmpty else { return }
        try prepare(text.size)
        try mark(origin, count: text.size, at: bytes.count)
        isASCII = isASCII && text.isASCII
        bytes.append(contentsOf: text.bytes)
    }

    /// Writes text several times.
    func append(_ text: MarkedText, times: Int) throws(TemplateError) {
        guard times > 0, !text.isEmpty else { return }
        let (count, overflow) = text.size.multipliedReportingOverflow(by: times)
        try reserve(overflow ? .max : count)
        for _ in 0..<times { try append(text) }
    }

    /// Writes a literal of Parley's own code.
    func append(_ literal: StaticString, _ origin: TemplateOrigin) throws(TemplateError) {
        let count = literal.utf8CodeUnitCount
        try prepare(count)
        try mark(origin, count: count, at: bytes.count)
        literal.withUTF8Buffer { buffer in
            bytes.append(contentsOf: buffer)
            isASCII = isASCII && buffer.allSatisfy { $0 < 0x80 }
        }
    }

    /// Writes an existing string: a name, the digits of a number, or one of the context.
    func append(string: String, _ origin: TemplateOrigin) throws(TemplateError) {
        let count = string.utf8.count
        guard count > 0 else { return }
        try prepare(count)
        try mark(origin, count: count, at: bytes.count)
        let start = bytes.count
        bytes.append(contentsOf: string.utf8)
        isASCII = isASCII && bytes[start...].allSatisfy { $0 < 0x80 }
    }

    func append(scalar: Unicode.Scalar, _ origin: TemplateOrigin) throws(TemplateError) {
        try prepare(4)
        guard !scalar.isASCII else {
            try mark(origin, count: 1, at: bytes.count)
            return bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        }
        let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        try mark(origin, count: encoded.count, at: bytes.count)
        bytes.append(contentsOf: encoded)
        isASCII = false
    }

    /// Writes a character of ASCII.
    func append(ascii byte: UInt8, _ origin: TemplateOrigin) throws(TemplateError) {
        try prepare(1)
        try mark(origin, count: 1, at: bytes.count)
        bytes.append(byte & 0x7F)
    }

    // MARK: Paying

    @inline(__always)
    private func prepare(_ count: Int) throws(TemplateError) {
        try meter.work(8 + count >> 4)
        if count > capacity - bytes.count { try makeRoom(count) }
    }

    @inline(__always)
    private func mark(_ origin: TemplateOrigin, count: Int, at length: Int) throws(TemplateError) {
        let added = marks.added(by: origin, at: length)
        if added > 0 {
            try meter.reserve(added * OriginMarks.bytesOfRun)
            held += added * OriginMarks.bytesOfRun
        }
        marks.append(origin, count: count, at: length)
    }

    /// Charges for growing: while the bytes are copied they are in memory twice.
    @inline(never)
    private func makeRoom(_ count: Int) throws(TemplateError) {
        let (needed, overflow) = bytes.count.addingReportingOverflow(count)
        guard !overflow, needed <= TextWriter.mostBytes else {
            return try meter.reserve(.max)
        }
        guard needed > capacity else { return }
        let roomy = capacity < 1 << 20 ? 2 * capacity : capacity + capacity >> 1
        let grown = max(needed, min(roomy, TextWriter.mostBytes), 16)
        try meter.reserve(grown)
        held += grown - capacity
        bytes.reserveCapacity(grown)
        meter.release(capacity)
        capacity = grown
    }
}

extension MarkedText {
    /// The text in maximal runs of one origin.
    func segments(_ meter: Meter) throws(TemplateError) -> [TemplateSegment] {
        var segments: [TemplateSegment] = []
        var index = 0
        while index < size {
            let run = run(at: index)
            try meter.reserve(run.end - index + 2 * MemoryLayout<TemplateSegment>.stride)
            segments.append(
                TemplateSegment(text: String(decoding: self[index..<run.end].bytes, as: UTF8.self), origin: run.origin))
            index = run.end
        }
        return segments
    }

    /// The text as a string, which is charged.
    func string(_ meter: Meter) throws(TemplateError) -> String {
        try meter.reserve(size)
        meter.release(size)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text as a name; nil if it is longer than a name may be.
    func name(_ meter: Meter) throws(TemplateError) -> String? {
        guard size <= Lexer.longestName else { return nil }
        if !isASCII { try meter.work(16 * size) }
        return try string(meter)
    }
}
