// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Foundation
    import Glibc
    import ParleyAudio
    import ParleyTestSupport
    import Testing

    @Suite("The microphone through ALSA", .serialized, .timeLimit(.minutes(15)))
    struct MicrophoneTests {
        /// A device of ALSA that plays a file of 16-bit samples, as if somebody spoke, and then silence.
        private static func configure(_ samples: [Int16], in directory: TemporaryDirectory) throws {
            let sound = directory.url.appending(path: "sound.raw")
            try samples.withUnsafeBytes { Data($0) }.write(to: sound)
            let text = """
                pcm.recording {
                    type file
                    slave.pcm { type null }
                    file /dev/null
                    infile "\(sound.path)"
                    format raw
                }
                """
            let file = directory.url.appending(path: "asound.conf")
            try Data(text.utf8).write(to: file)
            setenv("ALSA_CONFIG_PATH", file.path, 1)
        }

        private static var isInstalled: Bool { dlopen("libasound.so.2", RTLD_NOW) != nil }

        @Test(
            "what the device plays arrives in pieces, and then silence, until nobody listens", .enabled(if: isInstalled)
        )
        func captures() async throws {
            let directory = try TemporaryDirectory()
            let samples = (0..<20_000).map { Int16(truncatingIfNeeded: ($0 * 37) % 30_000 - 15_000) }
            try Self.configure(samples, in: directory)
            var heard: [Float] = []
            for try await piece in Microphone(device: "recording").chunks() {
                #expect(piece.sampleRate == 16_000)
                heard += piece.samples
                if heard.count >= 32_000 { break }
            }
            #expect(Array(heard.prefix(20_000)) == samples.map { Float($0) / 32_768 })
        }

        @Test("a device that is not there is an error that says how to find one", .enabled(if: isInstalled))
        func missesDevice() async throws {
            let directory = try TemporaryDirectory()
            try Self.configure([], in: directory)
            let error = await #expect(throws: AudioError.self) {
                for try await _ in Microphone(device: "nothing").chunks() {}
            }
            #expect(error?.code == .microphoneUnavailable)
            #expect(error?.message.contains("arecord -L") == true)
        }

        @Test("a cancelled recording ends", .enabled(if: isInstalled))
        func cancels() async throws {
            let directory = try TemporaryDirectory()
            try Self.configure([1, 2, 3], in: directory)
            let (began, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await _ in Microphone(device: "recording").chunks() { begin.yield() }
            }
            await began.first { _ in true }
            task.cancel()
            try await task.value
        }
    }
#endif
