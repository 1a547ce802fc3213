// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyTensor
import Testing

@Suite("The texts of an encoder's step")
struct EncoderBatchTests {
    @Test("Texts follow each other in rows, and begin at whole panels of keys")
    func positions() {
        var begun = [0]
        let batch = EncoderBatch([[3, 16, 17, 1]], begun: &begun, positions: 96)
        #expect(batch.entries.map(\.text) == [0, 1, 2, 3])
        #expect(batch.rows.map(\.rows) == [0..<3, 3..<19, 19..<36, 36..<37])
        #expect(batch.rows.map(\.position) == [0, 16, 32, 64])
        #expect(begun == [4])
    }

    @Test("A step takes one text of each job in turn")
    func turns() {
        var begun = [0, 1, 0]
        let batch = EncoderBatch([[5, 6, 7], [9, 8], [4]], begun: &begun, positions: 64)
        #expect(batch.entries == [.init(0, 0), .init(1, 1), .init(2, 0), .init(0, 1)])
        #expect(begun == [2, 2, 1])
    }

    @Test("A step ends before the text that does not fit, and the next one begins with it")
    func fills() {
        var begun = [0]
        let lengths = [[100, 100, 100, 20]]
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries.count == 2)
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries.map(\.text) == [2, 3])
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries.isEmpty)
        #expect(begun == [4])
    }

    @Test("A text for which there is no room in any step has one of its own")
    func longText() {
        var begun = [1, 0]
        let lengths = [[20, 300, 20], [20]]
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries == [.init(0, 1)])
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries == [.init(0, 2), .init(1, 0)])
        begun = [0, 0]
        #expect(EncoderBatch(lengths, begun: &begun, positions: 256).entries == [.init(0, 0), .init(1, 0)])
    }
}

extension EncoderBatch.Entry {
    fileprivate init(_ job: Int, _ text: Int) {
        self.init(job: job, text: text)
    }
}
