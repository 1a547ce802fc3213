// SPDX-License-Identifier: Apache-2.0

#if MLX
    import ParleyMLX
    import ParleyRuntime
    import Testing

    @Suite("The library of MLX")
    struct MLXLibraryTests {
        @Test(
            "a library for another version of MLX than the one beside it is told with its remedy",
            arguments: [(32_004, "0.31.9"), (31_009, "0.31.9"), (32_004, "0.32.5"), (0, "x")])
        func versions(compiled: Int, version: String) throws {
            #expect {
                try MLXLibrary.check(compiled: compiled, version: version)
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .unsupported && error?.message.contains("Run scripts/install-mlx again.") == true
            }
            #expect(throws: Never.self) { try MLXLibrary.check(compiled: 32_004, version: "0.32.4") }
        }
    }
#endif
