// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation

/// What calls of functions may look like, for the formats whose form is known.
extension FunctionCallFormat {
    /// How many calls a reply that has to call may make.
    private static let mostCalls = 8

    /// What follows the opening tag: calls of these functions, and the closing tag where there is one.
    ///
    /// - Parameter allowsSeveral: whether several calls may stand together, where the format has them so.
    func rest(calling functions: [CallableFunction], allowsSeveral: Bool = true) -> Grammar? {
        let gap = Grammar.pattern("\\n?")
        let end = closing.map { [gap, Grammar.marker($0)] } ?? []
        if parser is PythonicCallParser {
            return .sequence([allowsSeveral ? .pythonicCalls(functions) : .pythonicCall(functions)] + end)
        }
        guard parser is JSONCallParser else { return nil }
        let key = self == .llama3JSON ? "parameters" : "arguments"
        let call = Grammar.jsonCall(functions, argumentsKey: key)
        return .sequence(closing == nil ? [call] : [gap, call] + end)
    }

    /// A reply that calls functions and says nothing else.
    ///
    /// - Parameter allowsSeveral: whether one call may follow another.
    func calls(of functions: [CallableFunction], allowsSeveral: Bool) -> Grammar? {
        guard let rest = rest(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        // A call without an opening tag is what such models are trained for.
        if allowsBareJSON { return rest }
        let call = Grammar.sequence([.marker(opening), rest])
        // Pythonic calls stand together in one list.
        guard allowsSeveral, closing != nil, parser is JSONCallParser else { return call }
        return .repetition(call, separator: .pattern("\\n?"), minimum: 1, maximum: Self.mostCalls)
    }
}

extension Grammar {
    /// One call in Python, such as `[weather(city="Paris")]`.
    fileprivate static func pythonicCall(_ functions: [CallableFunction]) -> Grammar {
        let calls = functions.map { Grammar.sequence([.literal($0.name), .keywordArguments($0.parameters)]) }
        return .sequence([.literal("["), .choice(calls), .literal("]")])
    }
}

extension CallableFunction {
    init(_ function: Function) {
        self.init(name: function.name, parameters: function.parameters.value)
    }
}
