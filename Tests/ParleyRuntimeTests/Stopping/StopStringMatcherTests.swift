// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTesting
import Testing

@Suite("Stop strings")
struct StopStringMatcherTests {
    /// Everything let through, and whether a stop string was found.
    private func run(_ pieces: [String], _ stops: [String]) -> (text: String, found: Bool) {
        var matcher = StopStringMatcher(stops)
        var text = ""
        for piece in pieces {
            let (released, found) = matcher.append(piece)
            text += released
            if found { return (text, true) }
        }
        return (text + matcher.finish(), false)
    }

    @Test("text before a stop string passes, the string and what follows do not")
    func simple() {
        #expect(run(["one STOP two"], ["STOP"]) == ("one ", true))
    }

    @Test("a stop string is found across pieces")
    func acrossPieces() {
        #expect(run(["one S", "T", "OP two"], ["STOP"]) == ("one ", true))
    }

    @Test("a beginning that does not go on is let through")
    func falseStart() {
        #expect(run(["STO", "RY"], ["STOP"]) == ("STORY", false))
        #expect(run(["SSSTOP"], ["STOP"]) == ("SS", true))
    }

    @Test("what was held back appears at the end")
    func heldBack() {
        #expect(run(["one ST"], ["STOP"]) == ("one ST", false))
    }

    @Test("the string that is complete first wins, of those complete at once the longest")
    func precedence() {
        #expect(run(["xabcd"], ["abcd", "bc"]) == ("xa", true))
        #expect(run(["xabc"], ["bc", "abc"]) == ("x", true))
    }

    @Test("nothing but what could become a stop string is held back")
    func promptness() {
        var matcher = StopStringMatcher(["\n\n", "END"])
        #expect(matcher.append("one\n").text == "one")
        #expect(matcher.append("two").text == "\ntwo")
        #expect(matcher.append(" E").text == " ")
        #expect(matcher.append("N").text == "")
        #expect(matcher.append("d").text == "ENd")
    }

    @Test("empty strings never stop anything")
    func empty() {
        #expect(run(["text"], ["", ""]) == ("text", false))
    }

    @Test("where the text is cut changes nothing, also inside characters of several bytes")
    func invariance() {
        var generator = SplitMix64(seed: 3)
        let alphabet: [Character] = ["a", "b", "é", "🙂"]
        for _ in 0..<2_000 {
            let text = String((0..<12).compactMap { _ in alphabet.randomElement(using: &generator) })
            let stops = (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
                        alphabet.randomElement(using: &generator)
                    })
            }
            let whole = run([text], stops)
            var pieces = [""]
            for character in text {
                if Bool.random(using: &generator) { pieces.append("") }
                pieces[pieces.count - 1].append(character)
            }
            #expect(run(pieces, stops) == whole)
            #expect(run(text.map { String($0) }, stops) == whole)
        }
    }
}
