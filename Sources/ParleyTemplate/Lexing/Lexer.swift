// SPDX-License-Identifier: Apache-2.0

/// Splits a template's source into tokens, with the whitespace control of an environment that trims blocks
/// (`trim_blocks`: the line break after a tag is removed), strips before blocks (`lstrip_blocks`: white space between
/// the start of the line and a tag is removed) and removes one line break at the end of the source.
struct Lexer {
    /// The maximum length of a name in bytes, because every use of a name reads all of it.
    static let longestName = 512
    /// The maximum number of tokens of a template. Each takes about 200 bytes, including its part of the syntax tree,
    /// and a microsecond.
    static let mostTokens = 1 << 16

    let source: [Unicode.Scalar]
    var position = 0
    var line = 1
    var tokens: [Token] = []
    /// Whether the last text ended with a line break, so that white space before a tag is at the start of a line.
    private var isAtLineStart = true
    /// The closing delimiters of the open brackets inside a tag.
    var closings: [Symbol] = []

    init(source: String) {
        self.source = Lexer.normalised(source)
    }

    static func tokens(of source: String) throws(TemplateError) -> [Token] {
        var lexer = Lexer(source: source)
        try lexer.readAll()
        return lexer.tokens
    }

    private mutating func readAll() throws(TemplateError) {
        while let tag = nextTag() {
            try checkCount()
            try read(tag)
        }
        emitData(position..<source.count)
        tokens.append(Token(kind: .end, line: line))
    }

    func checkCount() throws(TemplateError) {
        guard tokens.count < Lexer.mostTokens else {
            throw TemplateError(
                .valueTooLarge, "The template has more than \(Lexer.mostTokens) words and signs.", line: line)
        }
    }

    private mutating func read(_ tag: TagStart) throws(TemplateError) {
        let stripped = dataEnd(before: tag)
        emitData(position..<stripped)
        countLines(stripped..<tag.start)
        let tagLine = line
        countLines(tag.start..<tag.contents)
        position = tag.contents
        switch tag.kind {
        case .comment: try skipComment()
        case .raw: try readRaw()
        case .variable:
            tokens.append(Token(kind: .variableBegin, line: tagLine))
            try readTokens(until: .variableEnd)
        case .block:
            tokens.append(Token(kind: .blockBegin, line: tagLine))
            try readTokens(until: .blockEnd)
        }
    }

    /// The end of the text before a tag, after whitespace control.
    private func dataEnd(before tag: TagStart) -> Int {
        switch tag.sign {
        case "-":
            var end = tag.start
            while end > position, source[end - 1].isPythonSpace { end -= 1 }
            return end
        case "+": return tag.start
        default:
            guard tag.kind != .variable else { return tag.start }
            var lineStart = tag.start
            while lineStart > position, source[lineStart - 1] != "\n" { lineStart -= 1 }
            guard lineStart > position || isAtLineStart else { return tag.start }
            return source[lineStart..<tag.start].allSatisfy(\.isPythonSpace) ? lineStart : tag.start
        }
    }

    private mutating func skipComment() throws(TemplateError) {
        let first = line
        while position < source.count {
            if take("-#}") { return skipSpace() }
            if take("+#}") { return noteLineStart() }
            if take("#}") { return skipLineBreak() }
            advance()
        }
        throw TemplateError(.invalidSyntax, "A comment is not closed; end it with #}.", line: first)
    }

    /// Reads verbatim text up to `{% endraw %}`.
    private mutating func readRaw() throws(TemplateError) {
        isAtLineStart = source[position - 1] == "\n"
        for start in position..<max(position, source.count) where source[start] == "{" {
            guard let tag = endRaw(at: start) else { continue }
            let stripped = dataEnd(before: tag)
            emitData(position..<stripped)
            countLines(stripped..<tag.contents)
            position = tag.contents
            if take("-%}") { return skipSpace() }
            if take("+%}") { return noteLineStart() }
            _ = take("%}")
            return skipLineBreak()
        }
        throw TemplateError(.invalidSyntax, "A raw block is not closed; end it with {% endraw %}.", line: line)
    }

    /// Skips white space, after a tag that ended with a minus sign.
    mutating func skipSpace() {
        while position < source.count, source[position].isPythonSpace { advance() }
        noteLineStart()
    }

    /// Skips a line break, after a block tag or a comment.
    mutating func skipLineBreak() {
        if position < source.count, source[position] == "\n" { advance() }
        noteLineStart()
    }

    mutating func noteLineStart() {
        isAtLineStart = position > 0 && source[position - 1] == "\n"
    }

    private mutating func emitData(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        tokens.append(Token(kind: .data(String(source[range])), line: line))
        countLines(range)
    }

    mutating func countLines(_ range: Range<Int>) {
        for scalar in source[range] where scalar == "\n" { line += 1 }
    }

    mutating func advance() {
        if source[position] == "\n" { line += 1 }
        position += 1
    }

    /// The text with all kinds of line breaks replaced by `\n`, and without one at the end.
    private static func normalised(_ text: String) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(text.utf8.count)
        var wasReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\n" && wasReturn {
                wasReturn = false
                continue
            }
            wasReturn = scalar == "\r"
            result.append(wasReturn ? "\n" : scalar)
        }
        if result.last == "\n" { result.removeLast() }
        return result
    }
}
