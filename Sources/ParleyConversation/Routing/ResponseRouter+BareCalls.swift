// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// Calls without an opening tag, as Llama 3 writes them.
extension ResponseRouter {
    /// The names with one of which a call in JSON begins.
    private static let firstKeys = ["name", "function", "parameters", "arguments", "type", "id"].map {
        Array($0.unicodeScalars)
    }

    /// A brace begins the reply: a call, or an answer in JSON. What has been read behind it is read again.
    mutating func openBareCall(at start: Int) {
        _ = matcher.finish()
        section = .bareCall
        cursor = start + 1
        call = OpenCall(start: start, bodyStart: start, body: ["{"])
    }

    mutating func stepBareCall(_ scalar: Unicode.Scalar) {
        call.body.append(scalar)
        switch call.firstKey {
        case .known: return
        case .awaited:
            if scalar == "\"" { return call.firstKey = .begun([]) }
            if !scalar.properties.isWhitespace { reviveAsText() }
        case .begun(let key):
            if scalar == "\"" {
                if Self.firstKeys.contains(key) { call.firstKey = .known } else { reviveAsText() }
            } else {
                let longer = key + [scalar]
                call.firstKey = .begun(longer)
                if !Self.firstKeys.contains(where: { $0.starts(with: longer) }) { reviveAsText() }
            }
        }
    }

    mutating func finishBareCall(_ reason: FinishReason) {
        // An answer in JSON that was cut, for all that is known.
        guard case .known = call.firstKey else { return reviveAsText() }
        switch parsed(call.body) {
        case .success(let calls):
            let names = configuration.functionNames
            let isKnown = calls.allSatisfy { call in names.contains { $0.isExactly(call.name) } }
            if names.isEmpty || isKnown { emit(calls) } else { reviveAsText() }
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
