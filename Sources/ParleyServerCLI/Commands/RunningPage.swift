// SPDX-License-Identifier: Apache-2.0

import ParleyActions
import ParleyAssistant

/// What the web chat has open while the server runs.
struct RunningPage: Sendable {
    let setup: AssistantSetup
    let servers: ToolServers?

    /// Saves the chats, ends the servers of tools, and sends what waits for the servers of accounts.
    func close() async {
        setup.history.flush()
        await servers?.close()
        await setup.keeper.settle(within: .seconds(5))
        await setup.keeper.stop()
    }
}
