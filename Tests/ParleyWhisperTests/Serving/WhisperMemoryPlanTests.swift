// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleySpeech
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Synchronization
import Testing

@Suite struct WhisperMemoryPlanTests {
    private let folder: TemporaryDirectory
    private var file: URL { folder.url.appending(path: "ggml-tiny.bin") }

    init() throws {
        folder = try TemporaryDirectory()
        try Data(TinyWhisperFixture.model.ggml(.f16)).write(to: file)
    }

    private func load(available: Int) async throws -> (WhisperModel, MemoryLedger) {
        let ledger = MemoryLedger { MachineMemory(physical: 1 << 40, available: available) }
        let model = try await WhisperModel.load(
            file, lanes: 2, isExact: false, instructionSet: .best, ledger: ledger)
        return (model, ledger)
    }

    @Test("A model is loaded where its sum fits, and refused with each contribution where a byte is missing")
    func refusal() async throws {
        let total = try WhisperMemoryPlan(WhisperFile.read(file), isExact: false, lanes: 2).sum.total.count
        let (model, ledger) = try await load(available: total)
        // The scratch memory is promised until sound fills it; the weights are there.
        #expect(ledger.unwrittenBytes > 0 && ledger.unwrittenBytes < total)
        withExtendedLifetime(model) {}
        let error = await #expect(throws: SpeechError.self) { try await load(available: total - 1) }
        #expect(error?.code == .insufficientMemory)
        for part in ["ggml-tiny.bin does not fit", "weights", "scratch", "program", "are available", "smaller model"] {
            #expect(error?.message.contains(part) == true, "\(part)")
        }
    }

    @Test("Texts that are followed at once are refused where their memory does not fit, and only promised meanwhile")
    func beams() async throws {
        let available = Atomic<Int>(1 << 40)
        let ledger = MemoryLedger {
            MachineMemory(physical: 1 << 40, available: available.load(ordering: .sequentiallyConsistent))
        }
        let model = try await WhisperModel.load(
            file, lanes: 2, isExact: false, instructionSet: .best, ledger: ledger)
        var request = RecognitionRequest(audio: AudioSamples(samples: TinyWhisperFixture.sound), language: "en")
        request.temperatures = [0]
        request.maximumTokens = 4
        request.audioContext = .full
        request.beamSize = 5
        _ = try await model.recognize(request)
        let promised = ledger.unwrittenBytes
        available.store(promised, ordering: .sequentiallyConsistent)
        let asked = request
        let error = await #expect(throws: SpeechError.self) { _ = try await model.recognize(asked) }
        #expect(error?.code == .insufficientMemory)
        #expect(error?.message.contains("5 texts") == true)
        request.beamSize = 1
        _ = try await model.recognize(request)
        #expect(ledger.unwrittenBytes == promised)
    }

    @Test("Times of words are refused where their memory does not fit, which is only promised meanwhile")
    func words() async throws {
        let available = Atomic<Int>(1 << 40)
        let ledger = MemoryLedger {
            MachineMemory(physical: 1 << 40, available: available.load(ordering: .sequentiallyConsistent))
        }
        let model = try await WhisperModel.load(
            file, lanes: 2, isExact: false, instructionSet: .best, ledger: ledger)
        var request = RecognitionRequest(audio: AudioSamples(samples: TinyWhisperFixture.sound), language: "en")
        request.prefix = Array("hello".utf8.map { Int32($0) - 33 })
        request.temperatures = [1]
        request.maximumTokens = 8
        request.logProbThreshold = -100
        request.compressionRatioThreshold = 100
        request.audioContext = .full
        request.timestamps = .word
        #expect(try await model.recognize(request).segments.contains { !$0.words.isEmpty })
        let promised = ledger.unwrittenBytes
        available.store(promised, ordering: .sequentiallyConsistent)
        let asked = request
        let error = await #expect(throws: SpeechError.self) { _ = try await model.recognize(asked) }
        #expect(error?.code == .insufficientMemory)
        #expect(error?.message.contains("words") == true)
        request.timestamps = .segment
        _ = try await model.recognize(request)
        #expect(ledger.unwrittenBytes == promised)
    }

    @Test("The promise ends with the model, also where loading fails")
    func promise() async throws {
        let ledger = MemoryLedger { MachineMemory(physical: 1 << 40, available: 1 << 40) }
        for isDamaged in [false, true] {
            if isDamaged {
                let bytes = TinyWhisperFixture.model.ggml(.f16)
                try Data(bytes.prefix(bytes.count - 100)).write(to: file)
            }
            _ = try? await WhisperModel.load(
                file, lanes: 1, isExact: false, instructionSet: .best, ledger: ledger
            ).unload()
            // The model's thread lets go of the engine when it has done its last job.
            while ledger.unwrittenBytes != 0 { await Task.yield() }
        }
    }

    @Test("Exact weights take more than quantised ones, and the same in every kind of file", arguments: [true, false])
    func forms(isExact: Bool) throws {
        func plan(_ file: WhisperFile) -> WhisperMemoryPlan { WhisperMemoryPlan(file, isExact: isExact, lanes: 2) }
        let ggml = try plan(WhisperFile.read(file))
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeTransformers(to: folder.url, .f16)
        #expect(try plan(WhisperFile.read(folder.url)) == ggml)
        let quantized = try WhisperMemoryPlan(WhisperFile.read(file), isExact: false, lanes: 2)
        #expect(isExact ? ggml.weights > quantized.weights : ggml == quantized)
    }

    private func plan(_ folder: URL) throws -> WhisperMemoryPlan {
        try WhisperMemoryPlan(WhisperFile.read(folder), isExact: false, lanes: 2)
    }

    @Test("A tensor without values takes no memory, whatever its other sizes are")
    func empty() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeTransformers(to: folder.url, .f16)
        let whole = try plan(folder.url)
        let weights = folder.url.appending(path: "model.safetensors")
        let data = try Data(contentsOf: weights)
        let end = 8 + data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        let tensor = #"{"encoder.empty":{"dtype":"F32","shape":[0,9223372036854775807,2],"data_offsets":[0,0]},"#
        let header = Data(tensor.utf8) + data[9..<end]
        let length = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Data($0) }
        try (length + header + data[end...]).write(to: weights)
        #expect(try plan(folder.url) == whole)
    }

    @Test("A variable of CTranslate2 without values takes none either")
    func emptyVariable() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeCTranslate2(to: folder.url, .f16)
        let whole = try plan(folder.url)
        // In place of a bias: its name, four sizes, a type and the number of its bytes.
        let name = Array("decoder/layer_0/ffn/linear_0/bias".utf8)
        var variable = [UInt8(name.count + 1), 0] + name + [0, 4]
        variable += [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 0xFF, count: 12)
        variable += [UInt8](repeating: 0, count: 5)
        var bytes = TinyWhisperFixture.model.cTranslate2(.f16)
        bytes.insert(contentsOf: variable, at: bytes.count - 4)
        // The number of variables.
        bytes[22] += 1
        try Data(bytes).write(to: folder.url.appending(path: "model.bin"))
        #expect(try plan(folder.url).weights < whole.weights)
    }
}

@Suite struct WhisperSizesTests {
    /// Sizes of published models, and how many parameters they are said to have, in millions.
    static let published: [(name: String, shape: TinyWhisper.Shape, parameters: Int)] = [
        ("tiny.en", shape(51_864, width: 384, heads: 6, layers: 4, 4, mels: 80), 39),
        ("base", shape(51_865, width: 512, heads: 8, layers: 6, 6, mels: 80), 74),
        ("small", shape(51_865, width: 768, heads: 12, layers: 12, 12, mels: 80), 244),
        ("medium", shape(51_865, width: 1_024, heads: 16, layers: 24, 24, mels: 80), 769),
        ("large-v3", shape(51_866, width: 1_280, heads: 20, layers: 32, 32, mels: 128), 1_550),
        ("turbo", shape(51_866, width: 1_280, heads: 20, layers: 32, 4, mels: 128), 809),
        ("distil-large-v3", shape(51_866, width: 1_280, heads: 20, layers: 32, 2, mels: 128), 756),
        ("distil-small.en", shape(51_864, width: 768, heads: 12, layers: 12, 4, mels: 80), 166),
    ]

    private static func shape(
        _ tokens: Int, width: Int, heads: Int, layers: Int, _ textLayers: Int, mels: Int
    ) -> TinyWhisper.Shape {
        TinyWhisper.Shape(
            vocabularySize: tokens, width: width, heads: heads, audioLayers: layers, textLayers: textLayers,
            textContext: 448, mels: mels)
    }

    @Test("The sum of every size follows from the header: about a byte for each of the weights", arguments: published)
    func sums(name: String, shape: TinyWhisper.Shape, parameters: Int) throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appending(path: "ggml-\(name).bin")
        try TinyWhisper.writeHollow(shape, to: file)
        let plan = try WhisperMemoryPlan(WhisperFile.read(file), isExact: false, lanes: 2)
        let weights = Double(plan.weights.count) / (Double(parameters) * 1e6 * 34 / 32)
        #expect((0.94...1.08).contains(weights), "\(weights)")
        let exact = try WhisperMemoryPlan(WhisperFile.read(file), isExact: true, lanes: 2)
        #expect((1.7...2.1).contains(Double(exact.weights.count) / Double(plan.weights.count)))
    }
}

/// The default model, whose sizes are known.
@Suite(.enabled(if: References.has("whisper/.complete"), References.hint))
struct WhisperBaseMemoryTests {
    @Test("The sum of the default model is near what it was measured to take")
    func base() throws {
        let plan = try WhisperMemoryPlan(WhisperFile.read(References.url("whisper/base")), isExact: false, lanes: 2)
        #expect((72_000_000...90_000_000).contains(plan.weights.count))
        #expect((150_000_000...330_000_000).contains(plan.sum.total.count))
    }
}
