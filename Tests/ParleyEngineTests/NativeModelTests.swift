// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Native model", .timeLimit(.minutes(15)))
struct NativeModelTests {
    @Test("a model describes itself")
    func describesItself() async throws {
        let model = try await NativeModel.load(TinyModel(.qwen3).writer(), context: 100)
        #expect(model.info.name == "Tiny random model")
        #expect(model.info.architecture == "qwen3")
        #expect(model.info.trainedContext == 512)
        #expect(model.info.vocabularySize == TinyTokenizer.bytePairs.tokens.count)
        #expect(model.info.chatTemplate == TinyTokenizer.chatTemplate)
        #expect(model.context == 100)
        #expect(model.threads == 1)
        #expect(try model.makeTimeline().capacity == 100)
    }

    @Test("a timeline of an impossible length is refused", arguments: [0, -1, 101, .max, .min])
    func refusesCapacity(capacity: Int) async throws {
        let model = try await NativeModel.load(TinyModel().writer(), context: 100)
        await expect(code: .invalidInput) { _ = try model.makeTimeline(capacity: capacity) }
    }

    @Test("the error for an unknown architecture names it and an engine that may run it")
    func refusesUnknownArchitecture() async throws {
        var writer = TinyModel().writer()
        writer.metadata = writer.metadata.map { entry in
            .init(entry.key.replacing("llama.", with: "mamba."), entry.value)
        }
        writer.set("general.architecture", .string("mamba"))
        let error = await expect(code: .unsupported) { _ = try await NativeModel.load(writer) }
        #expect(error?.message.contains("“mamba”") == true)
        let known =
            "ernie4_5, exaone4, falcon-h1, gemma3, gemma3n, gemma4, gpt-oss, granite, granitemoe, lfm2, lfm2moe, llama, "
        #expect(error?.message.contains(known) == true)
        #expect(error?.message.contains("llama.cpp") == true)
    }

    @Test("a truncated file is refused wherever it ends")
    func refusesTruncatedFiles() async throws {
        let bytes = TinyModel().writer().encoded()
        let url = URL.temporary(".gguf")
        defer { try? FileManager.default.removeItem(at: url) }
        for length in [0, 3, 4, 40, 1_000, bytes.count / 2, bytes.count - 1] {
            try Data(bytes.prefix(length)).write(to: url)
            await #expect(throws: ModelFileError.self, "\(length) of \(bytes.count) bytes") {
                _ = try await NativeModel.load(url)
            }
        }
    }

    @Test("loading reports fractions that rise to about one")
    func reportsProgress() async throws {
        let fractions = Mutex<[Double]>([])
        _ = try await NativeModel.load(TinyModel().writer()) { fraction in
            fractions.withLock { $0.append(fraction) }
        }
        let reported = fractions.withLock { $0 }
        #expect(reported == reported.sorted())
        #expect(reported.allSatisfy { (0...1).contains($0) })
        #expect(reported.last ?? 0 > 0.8)
    }

    @Test("loading ends soon after its task is cancelled")
    func cancelsLoading() async throws {
        let (start, continuation) = AsyncStream.makeStream(of: Void.self)
        let loading = Mutex<Task<NativeModel, any Error>?>(nil)
        let reports = Mutex(0)
        let task = Task {
            for await _ in start { break }
            return try await NativeModel.load(TinyModel().writer()) { _ in
                reports.withLock { $0 += 1 }
                loading.withLock { $0?.cancel() }
            }
        }
        loading.withLock { $0 = task }
        continuation.yield()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(reports.withLock { $0 } == 1)
    }

    @Test("a model lives as long as its last timeline")
    func livesWithItsTimelines() async throws {
        let timeline: any TokenTimeline
        weak var weakModel: NativeModel?
        do {
            let model = try await NativeModel.load(TinyModel().writer())
            weakModel = model
            timeline = try model.makeTimeline()
        }
        #expect(weakModel != nil)
        let output = LogitRows()
        try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: output)
        #expect(output.count == 1)
    }

    @Test(
        "the memory and the threads of a model go with it", .enabled(if: threadCountOfProcess() != nil, "needs /proc"))
    func endsThreads() async throws {
        let before = try #require(threadCountOfProcess())
        var models: [() -> Bool] = []
        for _ in 0..<50 {
            let model = try await NativeModel.load(TinyModel().writer(), threads: 3)
            let timeline = try model.makeTimeline()
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
            models.append { [weak model] in model == nil }
        }
        // Nothing waits for the end of the last step and of the threads, and other tests have threads too.
        #expect(await eventually { models.allSatisfy { $0() } })
        #expect(await eventually { (threadCountOfProcess() ?? 0) < before + 50 })
    }
}

/// Whether a condition comes true within five minutes.
private func eventually(_ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(300)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        await Task.yield()
    }
    return true
}
