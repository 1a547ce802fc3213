// SPDX-License-Identifier: Apache-2.0

/// Finds addresses in text: in angle brackets (CommonMark 0.31, section 6.5), and bare ones as GitHub takes them
/// (GitHub Flavored Markdown 0.29, section 6.9).
enum BareAddresses {
    /// The most bytes of the part of an address of mail before its `@` (RFC 5321, section 4.5.3.1).
    private static let longestLocalPart = 64
    /// The most bytes of the host of a bare address, twice as many as names of the internet have.
    private static let longestHost = 512

    /// An address in angle brackets.
    static func bracketed(in bytes: [UInt8], at start: Int) -> (destination: String, text: String, end: Int)? {
        guard start + 1 < bytes.count else { return nil }
        let scheme = bytes.end(from: start + 1) { byte in
            byte.isAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        if bytes[start + 1].isLetter, (2...32).contains(scheme - start - 1), scheme < bytes.count,
            bytes[scheme] == UInt8(ascii: ":")
        {
            let end = bytes.end(from: scheme) { !$0.isControl && $0 != 0x20 && $0 != UInt8(ascii: "<") && $0 != 0x3E }
            guard end < bytes.count, bytes[end] == UInt8(ascii: ">") else { return nil }
            let text = bytes.text(start + 1..<end)
            return (text, text, end + 1)
        }
        let marks = Array(".!#$%&'*+/=?^_`{|}~-".utf8)
        let at = bytes.end(from: start + 1) { $0.isAlphanumeric || marks.contains($0) }
        guard at > start + 1, at < bytes.count, bytes[at] == UInt8(ascii: "@"),
            let end = host(bytes, at + 1), end < bytes.count, bytes[end] == UInt8(ascii: ">")
        else { return nil }
        let text = bytes.text(start + 1..<end)
        return ("mailto:" + text, text, end + 1)
    }

    /// Names with dots between them, each of at most 63 letters, digits and inner hyphens.
    private static func host(_ bytes: [UInt8], _ start: Int) -> Int? {
        var index = start
        while true {
            let end = bytes.end(from: index) { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
            guard (1...63).contains(end - index), bytes[index] != UInt8(ascii: "-"), bytes[end - 1] != UInt8(ascii: "-")
            else { return nil }
            guard end < bytes.count, bytes[end] == UInt8(ascii: ".") else { return end }
            index = end + 1
        }
    }

    /// A bare address that begins at a place where a word begins.
    static func bare(in bytes: [UInt8], at start: Int) -> (destination: String, end: Int)? {
        let byte = bytes[start] | 0x20
        if byte == UInt8(ascii: "h") || byte == UInt8(ascii: "w"), isBoundary(bytes, start),
            let found = web(in: bytes, at: start)
        {
            return found
        }
        return mail(in: bytes, at: start)
    }

    /// Whether an address may begin here: one with its scheme behind whatever is no letter.
    private static func isBoundary(_ bytes: [UInt8], _ start: Int) -> Bool {
        guard start > 0 else { return true }
        if bytes[start] | 0x20 == UInt8(ascii: "h") { return !bytes[start - 1].isLetter }
        return bytes[start - 1].isSpace || Array("*_~(".utf8).contains(bytes[start - 1])
    }

    private static func web(in bytes: [UInt8], at start: Int) -> (destination: String, end: Int)? {
        var host = start
        if bytes.has("http://", at: start) {
            host += 7
        } else if bytes.has("https://", at: start) {
            host += 8
        } else if !bytes.has("www.", at: start) {
            return nil
        }
        let rest = bytes[host...].prefix(longestHost + 1)
        let hostEnd = rest.indices.first { !isOfHost(rest[$0]) || isWideMark(rest, at: $0) } ?? rest.endIndex
        guard hostEnd - host <= longestHost else { return nil }
        let names = bytes[host..<hostEnd].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The last two names have no underscore.
        guard hostEnd > host, names.first?.isEmpty == false,
            names.suffix(2).allSatisfy({ !$0.contains(UInt8(ascii: "_")) }), host > start || names.count > 1
        else { return nil }
        let end = trimmed(bytes, start, bytes.end(from: hostEnd) { !$0.isSpace && $0 != UInt8(ascii: "<") })
        guard end > host else { return nil }
        let text = bytes.text(start..<end)
        return (host == start ? "http://" + text : text, end)
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }

    /// Whether a mark of Chinese or Japanese writing begins here (U+3000 to U+303F, U+FF00 to U+FF0F), which no host has.
    private static func isWideMark(_ bytes: ArraySlice<UInt8>, at place: Int) -> Bool {
        guard place + 2 < bytes.endIndex else { return false }
        let (first, second) = (bytes[place], bytes[place + 1])
        return first == 0xE3 && second == 0x80 || first == 0xEF && second == 0xBC && bytes[place + 2] < 0x90
    }

    /// Leaves out what more likely belongs to the sentence than to the address: marks at its end, closing parentheses
    /// that it does not open, and what looks like a character reference.
    private static func trimmed(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
        let (open, close) = (UInt8(ascii: "("), UInt8(ascii: ")"))
        var end = end
        var surplus = 0
        for byte in bytes[start..<end] { surplus += byte == close ? 1 : byte == open ? -1 : 0 }
        let marks = Array("?!.,:*_~'\"".utf8)
        while end > start {
            let last = bytes[end - 1]
            if last == close {
                guard surplus > 0 else { break }
                surplus -= 1
                end -= 1
            } else if last == UInt8(ascii: ";") {
                var index = end - 1
                while index > start, bytes[index - 1].isLetter || bytes[index - 1].isDigit { index -= 1 }
                if index > start, index < end - 1, bytes[index - 1] == UInt8(ascii: "&") {
                    end = index - 1
                } else {
                    end -= 1
                }
            } else if marks.contains(last) {
                end -= 1
            } else {
                break
            }
        }
        return end
    }

    private static func isLocal(_ byte: UInt8) -> Bool { byte.isAlphanumeric || Array(".-_+".utf8).contains(byte) }

    private static func mail(in bytes: [UInt8], at start: Int) -> (destination: String, end: Int)? {
        // Underscores before it are marks of emphasis.
        guard isLocal(bytes[start]),
            start == 0 || !isLocal(bytes[start - 1]) && bytes[start - 1] != UInt8(ascii: "/")
                || bytes[start - 1] == UInt8(ascii: "_")
        else { return nil }
        var at = start
        while at < bytes.count, at - start <= longestLocalPart, isLocal(bytes[at]) { at += 1 }
        guard at > start, at < bytes.count, bytes[at] == UInt8(ascii: "@") else { return nil }
        let marks = Array("-_.".utf8)
        var end = bytes.end(from: at + 1) { $0.isAlphanumeric || marks.contains($0) }
        while end > at + 1, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        guard end > at + 1, bytes[at + 1..<end].contains(UInt8(ascii: ".")), bytes[end - 1].isLetter,
            end == bytes.count || bytes[end] != UInt8(ascii: "@")
        else { return nil }
        return ("mailto:" + bytes.text(start..<end), end)
    }
}
