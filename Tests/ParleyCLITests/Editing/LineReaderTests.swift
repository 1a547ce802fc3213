// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("LineReader")
struct LineReaderTests {
    @Test("where nothing can be drawn anew, the line of the prompt is ended at the end of the input")
    func plainEnd() async {
        await #expect(processExitsWith: .success) {
            var (controller, terminal) = (Int32(-1), Int32(-1))
            setenv("TERM", "dumb", 1)
            guard openpty(&controller, &terminal, nil, nil, nil) == 0, dup2(terminal, 0) == 0, dup2(terminal, 1) == 1,
                let mode = TerminalMode(), write(controller, "\u{4}", 1) == 1
            else { exit(2) }
            let reader = LineReader(mode: mode, style: TextStyle(isEnabled: false))
            guard case .endOfInput = await reader.read(prompt: "> ") else { exit(3) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(controller, &bytes, 64)
            exit(bytes.prefix(max(count, 0)).suffix(2).elementsEqual("\r\n".utf8) ? 0 : 1)
        }
    }
}
