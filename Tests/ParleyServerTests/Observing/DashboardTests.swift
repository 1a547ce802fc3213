// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("The dashboard for Grafana")
struct DashboardTests {
    private static let file = URL(filePath: #filePath).appending(path: "../../../../packaging/grafana.json")
        .standardized

    @Test("It asks for figures that the server has.")
    func names() async throws {
        let json = try JSONValue(parsing: Data(contentsOf: Self.file))
        let queries = (json["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap {
            $0["expr"]?.string
        }
        #expect(queries.count > 10)
        let asked = Set(queries.flatMap { $0.matches(of: /parley_[a-z_]+/).map { String($0.output) } })
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["Hi."])) { trial in
            _ = try await trial.chat([:])
            return try await trial.ask(ServerTrial.get("/metrics")).body
        }
        let told = Set(text.matches(of: /(?m)^parley_[a-z_]+/).map { String($0.output) })
        #expect(asked.subtracting(told) == [])
    }
}
