// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Carries out what writes to no store: searches of the stores and of the web, and tools of other programs.
struct ActionReader: Sendable {
    /// Searches the stores.
    let planner: ActionPlanner
    /// The web and the tools.
    let stores: AssistantStores
    /// The longest time for a search on the web.
    let searchTime: Duration
    /// Measures how long a search takes.
    let clock: any Clock<Duration>

    /// What an action finds.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - question: what the user asked, for a reply from the web.
    /// - Returns: the results, and the second pass that is wanted if the action searched the web.
    /// - Throws: ``AssistantError``; what a tool throws; `CancellationError`.
    func read(_ action: Action, for question: String) async throws -> (plan: ActionPlan, pass: WebPass?) {
        switch action {
        case .tool(let name, let arguments):
            guard let tool = stores.tools.first(where: { $0.name == name }) else {
                throw AssistantError(.storeUnavailable, "The tool \(name) is not connected.")
            }
            return (ActionPlan(.text(try await tool.run(arguments))), nil)
        case .webSearch(let query, let limit):
            let results = try await search(query, limit)
            return (ActionPlan(.web(results)), WebPass(question: question, query: query, results: results))
        default: return (try await planner.plan(action), nil)
        }
    }

    private func search(_ query: String, _ limit: Int) async throws -> [WebResult] {
        guard let web = stores.web else { throw planner.missing("search engine") }
        return try await withThrowingTaskGroup(of: [WebResult].self) { group in
            group.addTask { try await web.results(for: query, limit: limit) }
            group.addTask { [clock, searchTime] in
                try await clock.sleep(for: searchTime)
                throw AssistantError(
                    .storeUnavailable, "The search took longer than \(searchTime.components.seconds) seconds.")
            }
            defer { group.cancelAll() }
            return Array((try await group.next() ?? []).prefix(limit))
        }
    }
}
