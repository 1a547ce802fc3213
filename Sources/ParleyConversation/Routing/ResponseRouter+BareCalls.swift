// SPDX-License-Identifier: Apache-2.0

/// Calls without an opening tag, as Llama 3 writes them.
extension ResponseRouter {
    /// The names with one of which a call in JSON begins.
    private static let firstKeys: Set<String> = ["name", "function", "parameters", "arguments", "type", "id"]

    /// A brace begins the reply: a call, or an answer in JSON.
    mutating func openBareCall(at start: Int) {
        _ = matcher.finish()
        cursor = start + 1
        call = OpenCall(start: start, bodyStart: start, body: ["{"])
    }

    mutating func stepBareCall(_ scalar: Unicode.Scalar) {
        call.body.append(scalar)
        guard !call.hasCallKey, let key = call.firstKey else { return }
        if Self.firstKeys.contains(key) { call.hasCallKey = true } else { reviveAsText() }
    }

    mutating func finishBareCall(_ reason: FinishReason) {
        switch parsed(call.body) {
        case .success(let calls):
            let names = configuration.functionNames
            if names.isEmpty || calls.allSatisfy({ names.contains($0.name) }) { emit(calls) } else { reviveAsText() }
        case .failure(let error) where error.reason == .malformed || error.reason == .cut || error.reason == .tooDeep:
            reject(error, until: raw.count)
        case .failure:
            // It can be read, and is no call.
            reviveAsText()
        }
    }

    /// It is no call after all: what came is sorted again, now as text.
    private mutating func reviveAsText() {
        allowsBareCall = false
        section = .text
        cursor = call.bodyStart
    }
}

extension ResponseRouter.OpenCall {
    /// The first key of the object that the body begins with, when its closing quote has just come. What is no key in
    /// quotes gives an empty one, which is no call's.
    fileprivate var firstKey: String? {
        guard let last = body.last, !last.properties.isWhitespace else { return nil }
        let written = body.dropFirst().drop { $0.properties.isWhitespace }
        guard written.first == "\"" else { return "" }
        let inside = written.dropFirst().dropLast()
        guard last == "\"", written.count > 1, !inside.contains("\"") else { return nil }
        var key = ""
        key.unicodeScalars.append(contentsOf: inside)
        return key
    }
}
