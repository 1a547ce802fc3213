// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Turns what people say about time into points, stretches and days: "tomorrow at 3", "in 20 minutes", "every other
/// Tuesday until Christmas".
///
/// ```swift
/// let context = DateContext(now: .now, timeZone: .current, locale: .current)
/// let found = DateResolver().resolve("lunch with Anna tomorrow at 3", in: context)
/// // found?.value is .instant(…, 15:00), found?.assumptions are [.halfOfDay], and 3:00 is the alternative
/// ```
///
/// It knows no model and asks nobody: the same words in the same context mean the same. Words it does not know are left
/// out, and where nothing is left there is no answer. A text is read up to 400 characters, in time that grows with its
/// length alone.
///
/// English is covered best. German, French and Spanish have the words for days, weekdays, months, clock times, parts of
/// the day, amounts, stretches, periods and plain recurrences; rarer turns ("fünf vor halb zehn", "dans huit jours" for
/// a week) are not read. In every language dates and times may be written as ISO 8601 has them, or in digits as the
/// locale has them.
public struct DateResolver: Sendable {
    /// The languages in which words are tried; the one that makes sense of most of the text counts, the first of equals.
    public var languages: [DateLanguage]

    /// A resolver for some languages.
    ///
    /// - Parameter languages: the languages; all four by default, English first.
    public init(languages: [DateLanguage] = [.english, .german, .french, .spanish]) {
        self.languages = languages
    }

    /// What a text says about time.
    ///
    /// - Parameters:
    ///   - text: the words; it may say other things as well.
    ///   - context: when and where they are said.
    ///   - start: the point after which a time without a day lies, as the end of something does; nil takes now.
    /// - Returns: the meaning, or nil where the text says nothing of time or names a day that does not exist.
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
