// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

extension Transcription {
    /// The transcription as subtitles in the form of SubRip.
    public var srt: String {
        segments.enumerated().map { index, segment in
            "\(index + 1)\n\(Subtitles.times(segment.range, separator: ","))\n\(Subtitles.line(segment.text))\n\n"
        }.joined()
    }

    /// The transcription as subtitles in the form of [WebVTT](https://www.w3.org/TR/webvtt1/).
    public var vtt: String {
        "WEBVTT\n\n"
            + segments.map { segment in
                "\(Subtitles.times(segment.range, separator: "."))\n\(Subtitles.markup(segment.text))\n\n"
            }.joined()
    }
}

/// How subtitles are written.
package enum Subtitles {
    /// Two times to the millisecond, of which the second is never before the first.
    static func times(_ range: Range<Duration>, separator: String) -> String {
        "\(time(range.lowerBound, separator)) --> \(time(range.upperBound, separator))"
    }

    private static func time(_ time: Duration, _ separator: String) -> String {
        let (seconds, attoseconds) = max(.zero, time).components
        var thousandths = attoseconds / 1_000_000_000_000_000
        if attoseconds % 1_000_000_000_000_000 >= 500_000_000_000_000 { thousandths += 1 }
        let (whole, rest) = (seconds + thousandths / 1000, thousandths % 1000)
        let parts = [whole / 3600, whole / 60 % 60, whole % 60].map { padded($0, to: 2) }
        return parts.joined(separator: ":") + separator + padded(rest, to: 3)
    }

    private static func padded(_ value: Int64, to width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// A text in one line, for an empty one would end the subtitle.
    static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("-->", with: "→")
    }

    /// A text in one line, in which nothing is markup.
    static func markup(_ text: String) -> String {
        line(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
