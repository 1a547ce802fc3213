// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySpeech
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
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
