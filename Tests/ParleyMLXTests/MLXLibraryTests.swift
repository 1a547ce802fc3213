// SPDX-License-Identifier: Apache-2.0

#if MLX
    import ParleyMLX
    import ParleyRuntime
    import ParleyTestSupport
    import Testing

    @Suite("The library of MLX")
    struct MLXLibraryTests {
        @Test("a library that is missing is told with its remedy")
        func missing() {
            #expect {
                _ = try MLXLibrary(fileName: "libparley-mlx-that-is-not-there.so")
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .unsupported && error?.message.contains("scripts/install-mlx") == true
            }
        }

        @Test("a library that is another one is told with its remedy")
        func other() {
            #expect {
                _ = try MLXLibrary(fileName: "libc.so.6")
            } throws: { error in
                (error as? RuntimeError)?.message.contains("scripts/install-mlx") == true
            }
        }

        @Test(
            "a library for another version of Parley or of MLX is told with its remedy",
            .enabled(if: MLXFixture.hasLibrary, MLXFixture.libraryHint),
            arguments: [(-1, 32_004, "0.32.4"), (1, 32_004, "0.31.9"), (1, 31_009, "0.31.9"), (1, 0, "x")])
        func versions(interface: Int, compiled: Int, version: String) throws {
            #expect {
                try MLXLibrary.check(interface: interface, compiled: compiled, version: version, fileName: "lib.so")
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .unsupported && error?.message.contains("Run scripts/install-mlx again.") == true
            }
            #expect(throws: Never.self) {
                try MLXLibrary.check(interface: 1, compiled: 32_004, version: "0.32.4", fileName: "lib.so")
            }
        }
    }
#endif
