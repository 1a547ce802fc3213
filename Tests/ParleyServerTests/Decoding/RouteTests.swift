// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyServer
import Testing

@Suite("Routes")
struct RouteTests {
    @Test("Each route is found by each of its paths and its method.", arguments: Route.allCases)
    func own(_ route: Route) throws {
        for path in route.paths {
            let name = path.hasSuffix("/") && path != "/" ? "owner%2Fmodel:Q4" : nil
            let match = try Route.match(route.method, path + (name ?? ""))
            #expect(match == Route.Match(route: route, name: name.map { _ in "owner/model:Q4" }))
        }
    }

    @Test("docs/serving.md names each path of the API.")
    func documented() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/serving.md"), encoding: .utf8)
        for route in Route.allCases where !route.isOfPage {
            for path in route.paths {
                // A name follows one that ends in a slash.
                let spelled = path.hasSuffix("/") ? "\(path){id}`" : "\(path)`"
                #expect(page.contains(" \(spelled)") || page.contains("`\(spelled)"), "\(path)")
            }
        }
    }

    @Test("Only health and the files of the page are open to everybody.")
    func open() {
        #expect(Route.allCases.filter { $0.scope == nil } == [.health, .page])
    }

    @Test("An unknown path is 404, a known one with another method 405 with the methods it has.")
    func others() {
        for path in ["/x", "/v1", "/v1/chat", "/v1/models/", "/v1/chat/completions/", "//health", "/health/x", ""] {
            let error = #expect(throws: ServerError.self) { try Route.match(.get, path) }
            #expect(error?.status == 404, "\(path)")
        }
        let error = #expect(throws: ServerError.self) { try Route.match(.get, "/v1/chat/completions") }
        #expect(error?.status == 405)
        #expect(error?.allowed == ["POST"])
        let second = #expect(throws: ServerError.self) { try Route.match(.delete, "/v1/models/a") }
        #expect(second?.allowed == ["GET", "HEAD"])
        #expect(second?.description == "The path does not have this method; it has GET, HEAD.")
    }
}
