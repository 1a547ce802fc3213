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

@Suite("LineReader", .timeLimit(.minutes(15)))
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
            // What is written comes in pieces, and must be read before the terminal is given back.
            let shown = Task.detached { [controller] in
                var (seen, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 64))
                while !seen.suffix(2).elementsEqual("\r\n".utf8) {
                    let count = read(controller, &bytes, 64)
                    guard count > 0 else { return false }
                    seen += bytes.prefix(count)
                }
                return true
            }
            guard case .endOfInput = await reader.read(prompt: "> ") else { exit(3) }
            exit(await shown.value ? 0 : 1)
        }
    }
}
