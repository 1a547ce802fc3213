// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

struct TinyModelTests {
    private func opened(_ model: TinyModel) throws -> GGUFFile {
        try GGUFFile(bytes: model.writer().encoded()[...])
    }

    @Test("every architecture opens with its vocabulary in every encoding", arguments: TensorEncoding.allCases)
    func opens(encoding: TensorEncoding) throws {
        for architecture in TinyArchitecture.all {
            var model = TinyModel(architecture)
            model.encoding = encoding
            let file = try opened(model)
            #expect(try file.architecture == architecture.name)
            #expect(try file.tokenizerDescription().tokens.count == file.tensor("token_embd.weight").rows)
            let last = "blk.\(model.layers - 1).ffn_down"
            let down = try file.tensor(ifPresent: "\(last).weight") ?? file.tensor("\(last)_exps.weight")
            #expect(try down.type.rawValue == encoding.rawValue)
            #expect(file.chatTemplate == TinyTokenizer.chatTemplate)
        }
    }

    @Test("the same seed makes the same file, another seed another")
    func isDeterministic() {
        var model = TinyModel()
        let bytes = model.writer().encoded()
        #expect(bytes == model.writer().encoded())
        model.seed = 2
        #expect(bytes != model.writer().encoded())
    }

    @Test("random numbers are those of the published generator")
    func generatesKnownNumbers() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test("a separate output matrix is written if the embeddings are not tied")
    func writesOutput() throws {
        var model = TinyModel()
        #expect(try opened(model).tensor(ifPresent: "output.weight") == nil)
        model.tiesEmbeddings = false
        #expect(try opened(model).tensor("output.weight").columns == model.width)
    }
}
