// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("UsageLine")
struct UsageLineTests {
    @Test(
        "it is wrapped between arguments, and nothing else of the help is",
        arguments: [
            (
                40,
                """
                OVERVIEW: Adds an account, and finds its calendars.

                USAGE: parley add <url> [--user <name>]
                       [--password-env <variable>]
                       <names> ...

                OPTIONS:
                """
            ),
            (
                80,
                """
                OVERVIEW: Adds an account, and finds its calendars.

                USAGE: parley add <url> [--user <name>] [--password-env <variable>] <names> ...

                OPTIONS:
                """
            ),
        ])
    func wrapped(columns: Int, help: String) {
        let line = "USAGE: parley add <url> [--user <name>] [--password-env <variable>] <names> ..."
        let whole = "OVERVIEW: Adds an account, and finds its calendars.\n\n\(line)\n\nOPTIONS:"
        #expect(UsageLine.wrapped(in: whole, columns: columns) == help)
    }
}
