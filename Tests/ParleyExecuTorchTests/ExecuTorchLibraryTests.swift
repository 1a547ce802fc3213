// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import ParleyExecuTorch
    import ParleyRuntime
    import Testing

    @Suite("The library of ExecuTorch")
    struct ExecuTorchLibraryTests {
        @Test(
            "a library that is missing, or another one, is told with its remedy",
            arguments: ["libparley-executorch-that-is-not-there.so", "libc.so.6"])
        func missing(fileName: String) {
            #expect {
                _ = try ExecuTorchLibrary(fileName: fileName)
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .unsupported && error?.message.contains("scripts/install-executorch") == true
            }
        }

        @Test(
            "a library for another version of Parley or of ExecuTorch is told with its remedy",
            arguments: [(-1, "1.5.1"), (1, "1.4.9"), (1, "x")])
        func versions(interface: Int, version: String) throws {
            #expect {
                try ExecuTorchLibrary.check(interface: interface, version: version, fileName: "lib.so")
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .unsupported
                    && error?.message.contains("Run scripts/install-executorch again.") == true
            }
            #expect(throws: Never.self) {
                try ExecuTorchLibrary.check(interface: 1, version: "1.5.1", fileName: "lib.so")
            }
        }
    }
#endif
