// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("ModelInput")
struct ModelInputTests {
    /// What stands at one position, spelled out.
    private enum Place: Hashable {
        case token(TokenID)
        case row(of: InputEmbedding, Int)
    }

    private func places(_ input: ModelInput) -> [Place] {
        input.parts.flatMap { part -> [Place] in
            switch part {
            case .tokens(let tokens): tokens.map { .token($0) }
            case .embedding(let embedding): (0..<embedding.count).map { .row(of: embedding, $0) }
            }
        }
    }

    /// An input of a few tokens and embeddings, of which there are so few that inputs have much in common.
    private func random(_ random: inout SplitMix64) -> ModelInput {
        var input = ModelInput()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            if Bool.random(using: &random) {
                input.append([TokenID.random(in: 0...1, using: &random)])
            } else {
                input.append(
                    .embedding(
                        InputEmbedding(
                            identity: [UInt8.random(in: 0...1, using: &random)],
                            count: .random(in: 1...3, using: &random), payload: "")))
            }
        }
        return input
    }

    @Test("positions, parts, cuts and common prefixes are those of the places spelled out, whatever the parts")
    func agreesWithPlaces() {
        var random = SplitMix64(seed: 12)
        var lengths: Set<Int> = []
        for _ in 0..<20_000 {
            let (a, b) = (self.random(&random), self.random(&random))
            let (left, right) = (places(a), places(b))
            #expect(a.count == left.count)
            #expect(a.isEmpty == left.isEmpty)
            #expect((a == b) == (left == right))
            if case .token = left.last { #expect(a.endsWithToken) } else { #expect(!a.endsWithToken) }
            // The first row of an embedding may be common where its last is not: it is not common then.
            var common = zip(left, right).prefix { $0 == $1 }.count
            common = a.boundary(at: common)
            #expect(a.commonPrefix(with: b) == common)
            #expect(b.commonPrefix(with: a) == common)
            lengths.insert(common)
            let cut = Int.random(in: -1...left.count + 1, using: &random)
            var shorter = a
            let reached = shorter.truncate(to: cut)
            #expect(reached == min(a.boundary(at: max(cut, 0)), left.count))
            #expect(places(shorter) == Array(left.prefix(reached)))
            if reached > 0, reached < left.count, case .row(_, let row) = left[reached] { #expect(row == 0) }
            shorter.append(b)
            #expect(places(shorter) == Array(left.prefix(reached)) + right)
        }
        #expect(lengths.isSuperset(of: 0...5), "\(lengths)")
    }

    @Test("an embedding equals another by its identity and count, not by what it carries")
    func equality() {
        let image = InputEmbedding(identity: [1, 2], count: 3, payload: "bytes")
        #expect(image == InputEmbedding(identity: [1, 2], count: 3, payload: 7))
        #expect(image != InputEmbedding(identity: [1, 3], count: 3, payload: "bytes"))
        #expect(image != InputEmbedding(identity: [1, 2], count: 4, payload: "bytes"))
        #expect(Set([image, InputEmbedding(identity: [1, 2], count: 3, payload: 7)]).count == 1)
    }

    @Test("the tokens at some positions are those after the embeddings before them")
    func tokensAtPositions() {
        var input: ModelInput = [5, 6]
        input.append(.embedding(InputEmbedding(identity: [1], count: 10, payload: "")))
        input.append([7, 8, 9])
        #expect(input.tokens(at: 0..<2) == [5, 6])
        #expect(input.tokens(at: 13..<15) == [8, 9])
        #expect(input.part(at: 1) == .tokens([6]))
        #expect(input.part(at: 13) == .tokens([8, 9]))
        #expect(input.part(at: 15) == nil)
        #expect(input.tokens == [5, 6, 7, 8, 9])
    }
}
