// SPDX-License-Identifier: Apache-2.0

import ParleyTesting
import Testing

@Suite("TokenCuts")
struct TokenCutsTests {
    private static let text = "<think>é</think> 👩‍👩‍👧 two  words"

    @Test("all cuts keep the text", arguments: [TokenCuts.whole, .words, .every(1), .every(0), .random(seed: 1)])
    func whole(cuts: TokenCuts) {
        #expect(cuts.tokens(of: Self.text).joined() == Self.text)
        #expect(cuts.tokens(of: "").isEmpty)
    }

    @Test("words begin with their space; scalars are counted; chance repeats itself")
    func places() {
        #expect(TokenCuts.words.tokens(of: "two  words") == ["two", " ", " words"])
        #expect(TokenCuts.every(2).tokens(of: "e\u{301}a") == ["e\u{301}", "a"])
        let random = [1, 1, 2].map { TokenCuts.random(seed: $0).tokens(of: Self.text) }
        #expect(random[0] == random[1] && random[0] != random[2])
    }
}
