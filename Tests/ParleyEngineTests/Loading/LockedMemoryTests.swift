// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Locked memory")
struct LockedMemoryTests {
    @Test(
        "a model whose weights are locked computes the same",
        .enabled(if: MemoryLock.limit ?? 0 >= 4 << 20, "this process may lock too little memory"))
    func computesTheSame() async throws {
        let tokens = randomTokens(20, vocabulary: TinyTokenizer.bytePairs.tokens.count)
        let plain = try await NativeModel.load(TinyModel().writer())
        let locked = try await NativeModel.load(TinyModel().writer(), locksMemory: true)
        #expect(firstDifference(try await plain.logits(of: tokens), try await locked.logits(of: tokens)) == nil)
    }

    @Test("if the limit is too low, loading fails with the limit and the remedy, and frees its memory")
    func refuses() async {
        await #expect(processExitsWith: .success) {
            // Written first, because afterwards this process may lack the permission to write.
            let url = URL.temporary(".gguf")
            try TinyModel().write(to: url)
            try forbidLocking()
            let before = AlignedBuffer.liveByteCount
            let error = await expect(code: .insufficientMemory) {
                _ = try await NativeModel.load(url, configuration: EngineConfiguration(locksMemory: true))
            }
            let message = error?.message ?? ""
            for part in ["its limit is 0 KiB", "RLIMIT_MEMLOCK", "ulimit -l", "without locking"] {
                #expect(message.contains(part), "“\(part)” is not in “\(message)”")
            }
            #expect(AlignedBuffer.liveByteCount == before)
            _ = try await NativeModel.load(url)
        }
    }
}
