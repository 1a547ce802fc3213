// SPDX-License-Identifier: Apache-2.0

package import ParleyConstraint
package import ParleyConversation
import ParleyJSON

/// What calls of functions may look like, for the formats whose notation is known.
extension FunctionCallFormat {
    /// How many calls a reply that has to call may make, each with tags of its own.
    private static let mostTaggedCalls = 8
    /// How many calls may stand in one list.
    private static let mostListedCalls = 64

    /// What follows the opening tag: calls of these functions, and the closing tag where there is one.
    ///
    /// - Parameters:
    ///   - functions: the functions.
    ///   - allowsSeveral: whether several calls may stand together, where the format has them so.
    /// - Returns: the grammar; nil where the format's notation is not known.
    package func rest(calling functions: [Function], allowsSeveral: Bool = true) -> Grammar? {
        guard let notation = parser?.notation else { return nil }
        let call = notation.grammar(calling: functions)
        let gap = Grammar.pattern("\\n?")
        let end = closing.map { [gap, Grammar.marker($0)] } ?? []
        switch notation.grouping.kind {
        case .list(let opening, let closing):
            let maximum = allowsSeveral ? Self.mostListedCalls : 1
            let calls = Grammar.repetition(call, separator: .pattern(", ?"), minimum: 1, maximum: maximum)
            return .sequence(opening.map { $0.grammar(of: nil) } + [calls, .literal(closing)] + end)
        case .tagged where closing == nil && allowsSeveral:
            let others = Grammar.sequence([.marker(opening), call])
            return .sequence([call, .repetition(others, maximum: Self.mostTaggedCalls - 1)])
        case .tagged, .alone: return .sequence(closing == nil ? [call] : [gap, call] + end)
        }
    }

    /// A reply that calls functions and says nothing else.
    ///
    /// - Parameters:
    ///   - functions: the functions.
    ///   - allowsSeveral: whether one call may follow another.
    /// - Returns: the grammar; nil where the format's notation is not known.
    package func calls(of functions: [Function], allowsSeveral: Bool) -> Grammar? {
        guard let rest = rest(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        // A call without an opening tag is what such models are trained for.
        if allowsBareJSON { return rest }
        let call = Grammar.sequence([.marker(opening), rest])
        guard allowsSeveral, closing != nil, parser?.notation?.grouping == .tagged else { return call }
        return .repetition(call, separator: .pattern("\\n?"), minimum: 1, maximum: Self.mostTaggedCalls)
    }
}

extension FunctionCallNotation {
    /// A call of one of several functions, each with its own arguments.
    fileprivate func grammar(calling functions: [Function]) -> Grammar {
        let start = call.firstIndex(of: .name) ?? call.firstIndex(of: .quotedName) ?? call.endIndex
        let last = call.lastIndex(of: .arguments) ?? call.lastIndex(of: .keywordArguments)
        let end = max(start, last.map { $0 + 1 } ?? call.endIndex)
        let calls = functions.map { function in
            Grammar.sequence(call[start..<end].map { $0.grammar(of: function) })
        }
        return .sequence(
            call[..<start].map { $0.grammar(of: nil) } + [.choice(calls)] + call[end...].map { $0.grammar(of: nil) })
    }
}

extension FunctionCallNotation.Piece {
    /// What may stand for this piece in a call of a function.
    fileprivate func grammar(of function: Function?) -> Grammar {
        switch kind {
        case .text(let text): .literal(text)
        case .tag(let text): .marker(text)
        case .gap: .gap
        case .space: .pattern(" ?")
        case .name(let isQuoted):
            .literal(isQuoted ? JSONValue.string(function?.name ?? "").text() : function?.name ?? "")
        case .arguments: .object(function?.parameters.value ?? true, closesObjects: true)
        case .keywordArguments: .keywordArguments(function?.parameters.value ?? true)
        case .id: .pattern("[A-Za-z0-9]{9}")
        case .optional(let pieces): .optional(.sequence(pieces.map { $0.grammar(of: function) }))
        }
    }
}
