// SPDX-License-Identifier: Apache-2.0

/// Upper and lower case, as in Python's string methods. Every character keeps its origin.
enum LetterCase {
    case upper, lower, swapped
    /// Title case for the first character, lower case for the rest.
    case capitalized
    /// Title case after every character that has no case, as `str.title`.
    case title
    /// Upper case at the beginning of words, as defined by the filter `title`.
    case words
}

extension MarkedText {
    func converted(to letterCase: LetterCase, _ meter: Meter) throws(TemplateError) -> MarkedText {
        let writer = TextWriter(meter)
        var previous: Unicode.Scalar?
        var wordStart = 0
        for (index, scalar) in characters {
            let origin = origin(at: index)
            switch letterCase {
            case .upper: try writer.append(upper: scalar, origin)
            case .lower: try writer.append(lower: scalar, at: index, of: self, origin)
            case .swapped where scalar.isPythonUpper: try writer.append(lower: scalar, at: index, of: self, origin)
            case .swapped where scalar.isPythonLower: try writer.append(upper: scalar, origin)
            case .swapped: try writer.append(scalar: scalar, origin)
            case .capitalized where index == 0: try writer.append(title: scalar, origin)
            case .title where previous?.isPythonCased != true: try writer.append(title: scalar, origin)
            case .words where previous.map(MarkedText.endsWord) != false:
                wordStart = end(after: index)
                try writer.append(upper: scalar, origin)
            default: try writer.append(lower: scalar, at: index, of: self, since: wordStart, origin)
            }
            previous = scalar
        }
        return try writer.finish(asMarkup: isMarkup)
    }

    private static func endsWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isPythonSpace || "-({[<".unicodeScalars.contains(scalar)
    }

    /// Whether a sigma is at the end of a word, where it has another lower-case form.
    fileprivate func endsWord(sigma index: Int, since start: Int, _ meter: Meter) throws(TemplateError) -> Bool {
        var before = index
        while before > start, let scalar = scalar(before: before), scalar.properties.isCaseIgnorable {
            try meter.work(MarkedText.price(ofProperties: scalar))
            before = self.start(before: before)
        }
        guard before > start, scalar(before: before)?.isPythonCased == true else { return false }
        var after = end(after: index)
        while after < size {
            let scalar = scalar(at: after)
            try meter.work(MarkedText.price(ofProperties: scalar))
            guard scalar.properties.isCaseIgnorable else { break }
            after = end(after: after)
        }
        return after == size || !scalar(at: after).isPythonCased
    }
}

extension TextWriter {
    private static let priceOfMapping = 48

    fileprivate func append(upper scalar: Unicode.Scalar, _ origin: TemplateOrigin) throws(TemplateError) {
        guard !scalar.isASCII else {
            let byte = UInt8(scalar.value)
            return try append(ascii: (0x61...0x7A).contains(byte) ? byte - 32 : byte, origin)
        }
        try meter.work(TextWriter.priceOfMapping)
        try append(string: scalar.properties.uppercaseMapping, origin)
    }

    fileprivate func append(title scalar: Unicode.Scalar, _ origin: TemplateOrigin) throws(TemplateError) {
        guard !scalar.isASCII else { return try append(upper: scalar, origin) }
        try meter.work(TextWriter.priceOfMapping)
        try append(string: scalar.properties.titlecaseMapping, origin)
    }

    fileprivate func append(
        lower scalar: Unicode.Scalar, at index: Int, of text: MarkedText, since start: Int = 0,
        _ origin: TemplateOrigin
    ) throws(TemplateError) {
        guard !scalar.isASCII else {
            let byte = UInt8(scalar.value)
            return try append(ascii: (0x41...0x5A).contains(byte) ? byte + 32 : byte, origin)
        }
        try meter.work(TextWriter.priceOfMapping)
        guard scalar == "Σ" else { return try append(string: scalar.properties.lowercaseMapping, origin) }
        try append(scalar: try text.endsWord(sigma: index, since: start, meter) ? "ς" : "σ", origin)
    }
}
