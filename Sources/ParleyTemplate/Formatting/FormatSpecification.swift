// SPDX-License-Identifier: Apache-2.0

/// How one value is to be formatted: the text after the colon in a field of `str.format`, or between the `%` and the
/// letter of a printf field.
struct FormatSpecification {
    var fill: Unicode.Scalar = " "
    private(set) var fillOrigin = TemplateOrigin.template
    /// `<`, `>`, `^` or `=`; nil for the default of the value's type.
    var alignment: Unicode.Scalar?
    /// `+`, space or `-`.
    var sign: Unicode.Scalar = "-"
    var isAlternate = false
    var width = 0
    /// `,` or `_` between groups of digits.
    var grouping: Unicode.Scalar?
    var precision: Int?
    /// The letter of the presentation type.
    var type: Unicode.Scalar?

    /// Whether there is nothing after the colon, or no colon.
    private(set) var isEmpty = true

    init() {}

    /// Parses the text after the colon.
    init(_ text: MarkedText) throws(TemplateError) {
        isEmpty = text.isEmpty
        guard text.size <= 64 else { throw TemplateError(.invalidValue, "Invalid format specifier") }
        var rest = text.characters.map(\.scalar)[...]
        let isAlignment = { (scalar: Unicode.Scalar?) in scalar.map { "<>^=".unicodeScalars.contains($0) } ?? false }
        if let first = rest.first, isAlignment(rest.dropFirst().first) {
            fill = first
            fillOrigin = text.origin(at: 0)
            alignment = rest[rest.startIndex + 1]
            rest = rest.dropFirst(2)
        } else if isAlignment(rest.first) {
            alignment = rest.popFirst()
        }
        if let first = rest.first, first == "+" || first == "-" || first == " " { sign = rest.removeFirst() }
        if rest.first == "#" {
            isAlternate = true
            rest.removeFirst()
        }
        if rest.first == "0", alignment == nil {
            fill = "0"
            alignment = "="
        }
        width = try FormatSpecification.number(&rest) ?? 0
        if let first = rest.first, first == "," || first == "_" { grouping = rest.removeFirst() }
        if rest.first == "." {
            rest.removeFirst()
            guard let digits = try FormatSpecification.number(&rest) else {
                throw TemplateError(.invalidValue, "Format specifier missing precision")
            }
            precision = digits
        }
        type = rest.popFirst()
        guard rest.isEmpty else { throw TemplateError(.invalidValue, "Invalid format specifier") }
    }

    /// Reads a number of at most six digits, as nothing longer can be printed.
    static func number(_ rest: inout ArraySlice<Unicode.Scalar>) throws(TemplateError) -> Int? {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        guard let number = Int(String(digits)), number < 1_000_000 else {
            throw TemplateError(.valueTooLarge, "A width or a precision in a format is too large.")
        }
        return number
    }
}
