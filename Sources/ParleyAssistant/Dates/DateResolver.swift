// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the meaning of words about time, such as "tomorrow at 3", "in 20 minutes" or "every other Tuesday until
/// Christmas".
///
/// ```swift
/// let context = DateContext(now: .now, timeZone: .current, locale: .current)
/// let found = DateResolver().resolve("lunch with Anna tomorrow at 3", in: context)
/// // found?.value is .instant(…, 15:00), found?.assumptions are [.halfOfDay], and 3:00 is the alternative
/// ```
///
/// It uses no model, and the same words in the same context always have the same meaning. Unknown words are ignored; if
/// no others are left, there is no result. At most 400 characters are read, in time proportional to their number.
///
/// English has the best coverage. German, French and Spanish cover days, weekdays, months, clock times, parts of the
/// day, amounts, intervals, periods and simple recurrences, but not rarer expressions ("viertel neun", "dans huit jours"
/// for a week). In every language, dates and times may also be written in ISO 8601, or in digits in the locale's order.
public struct DateResolver: Sendable {
    /// The languages to try; the one that understands most of the text is used, or the first of several such languages.
    public var languages: [DateLanguage]

    /// Creates a resolver for some languages.
    ///
    /// - Parameter languages: the languages; all four by default, English first.
    public init(languages: [DateLanguage] = [.english, .german, .french, .spanish]) {
        self.languages = languages
    }

    /// Finds what a text says about time.
    ///
    /// - Parameters:
    ///   - text: the text, which may also say other things.
    ///   - context: the context in which the words are said.
    ///   - start: the instant after which a time without a day must lie, such as the start of an event; nil for now.
    /// - Returns: the meaning; nil if the text says nothing about time or names a day that does not exist.
    public func resolve(_ text: String, in context: DateContext, after start: Date? = nil) -> DateResolution? {
        var best: (resolution: DateResolution, score: Int)?
        for language in languages {
            let tokens = DateLexer.tokens(of: text, in: language)
            var reader = DateReader(tokens, language)
            let findings = reader.read()
            guard !findings.isEmpty,
                var resolution = DateEvaluator(context: context, findings: findings, after: start).resolution()
            else { continue }
            let used = Self.joined(findings.used)
            resolution.used = used.map {
                tokens[$0.lowerBound].range.lowerBound..<tokens[$0.upperBound - 1].range.upperBound
            }
            let score = used.reduce(0) { sum, range in sum + tokens[range].reduce(0) { $0 + $1.text.utf8.count } }
            if score > best?.score ?? 0 { best = (resolution, score) }
        }
        return best?.resolution
    }

    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.reduce(into: []) { result, range in
            if let last = result.last, last.upperBound == range.lowerBound {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
    }
}
