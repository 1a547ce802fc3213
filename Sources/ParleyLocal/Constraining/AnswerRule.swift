// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyDialect

/// The constraint on the answer of a reply; the reasoning before the answer is not constrained.
enum AnswerRule: Sendable {
    /// There is no constraint.
    case free
    /// Text is unconstrained, but function calls must follow the functions' schemas, and blocks theirs.
    case parts([LazyConstraint.Rule])
    /// The whole answer must follow a grammar: the first one, or, if the answer comes after reasoning, the second one,
    /// which also allows white space at the start, or requires another message.
    case whole(TokenMasks, afterReasoning: TokenMasks)
}

extension AnswerRule {
    /// Creates the rule for a request.
    ///
    /// - Parameters:
    ///   - prompt: the prompt, with the functions that the model may call.
    ///   - options: the schema of the answer, and whether functions are called.
    ///   - store: compiles the grammars.
    ///   - headers: the tags of the model's answers; nil if the answer goes on with a text.
    ///   - deadline: the time after which to give up; nil for no limit.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `invalidInput` if the rule cannot be enforced;
    ///   `CancellationError` if the task is cancelled; ``PromptDeadlinePassed``.
    init(
        _ prompt: PreparedPrompt, _ options: GenerationOptions, _ store: ConstraintStore,
        headers: ReasoningTags? = nil, deadline: ContinuousClock.Instant? = nil
    ) throws {
        let functions = prompt.callableFunctions
        let dialect = prompt.functionCallFormat?.dialect
        try Self.checkNames(of: functions, dialect)
        let mustCall = try Self.mustCall(prompt, options.functionCalling)
        var calls: Grammar?
        if !functions.isEmpty {
            // A caller who names a function wants exactly one call of it. A model whose functions are described in the
            // system message was not trained to call functions, and does not know when to stop calling them.
            let isNamed = if case .named = options.functionCalling { true } else { false }
            let isTrained = !prompt.report.describesFunctionsInSystemMessage
            calls = dialect?.reply(calling: functions, allowsSeveral: !isNamed && isTrained)
        }
        let schema = options.jsonSchemaConstraint.map { Grammar.schema($0.value).after(headers?.answer) }
        if mustCall {
            guard let calls else {
                throw ConversationError(
                    .invalidInput,
                    """
                    A call of a function cannot be required: no grammar says how this model writes calls. Set \
                    functionCallParser to a dialect that it has learned.
                    """)
            }
            self = try .whole(calls, store, headers, deadline)
        } else if let schema {
            self = try .whole(calls.map { .choice([schema, $0]) } ?? schema, store, headers, deadline)
        } else {
            var rules = try Self.blocks(options.heldBlocks, store, deadline)
            if let dialect, !functions.isEmpty, let rest = dialect.rest(calling: functions) {
                let masks = try store.masks(rest, deadline: deadline)
                for trigger in dialect.triggers {
                    rules.append(.init(trigger: trigger, masks: masks, then: dialect.closing == nil ? .end : .free))
                }
                if !dialect.bareOpening.isEmpty, let bare = dialect.bareGrammar(calling: functions) {
                    // It counts at the beginning of a line. Without the closing tag the model may also go on with a text,
                    // of which the call is an example.
                    let masks = try store.masks(bare, deadline: deadline)
                    rules.append(.init(trigger: "\n" + dialect.bareOpening, masks: masks))
                }
            }
            self = rules.isEmpty ? .free : .parts(rules)
        }
    }

    private static func blocks(
        _ blocks: [HeldBlock], _ store: ConstraintStore, _ deadline: ContinuousClock.Instant?
    ) throws -> [LazyConstraint.Rule] {
        try blocks.filter { !$0.opening.isEmpty }.map { block in
            let grammar = Grammar.sequence([
                .schema(block.schema.value, closesObjects: true), .literal(block.closing),
            ])
            return .init(trigger: block.opening, masks: try store.masks(grammar, deadline: deadline))
        }
    }

    private static func whole(
        _ grammar: Grammar, _ store: ConstraintStore, _ headers: ReasoningTags?, _ deadline: ContinuousClock.Instant?
    ) throws -> AnswerRule {
        let next = Grammar.sequence([.pattern("[ \\n]{0,4}"), grammar.after(headers?.message)])
        return .whole(
            try store.masks(grammar, deadline: deadline), afterReasoning: try store.masks(next, deadline: deadline))
    }

    /// Throws if the model cannot write the name of a function in its call format.
    private static func checkNames(of functions: [Function], _ dialect: (any CallDialect)?) throws {
        guard let dialect else { return }
        for function in functions where !dialect.canCall(function.name) {
            throw ConversationError(
                .invalidInput,
                """
                The function "\(function.name)" cannot be called in this model's dialect; give it a name of letters, \
                digits, "_", "-" and ".".
                """)
        }
    }

    private static func mustCall(_ prompt: PreparedPrompt, _ mode: FunctionCallingMode) throws -> Bool {
        switch mode {
        case .automatic, .none: return false
        case .required:
            guard !prompt.callableFunctions.isEmpty else {
                throw ConversationError(.invalidInput, "A call is required and there is no function; register one.")
            }
        case .named(let name):
            guard !prompt.callableFunctions.isEmpty else {
                throw ConversationError(.invalidInput, "There is no function named \(name); register it.")
            }
        }
        return true
    }
}

extension Grammar {
    /// The grammar after a header, if there is one.
    fileprivate func after(_ header: String?) -> Grammar {
        guard let header, !header.isEmpty else { return self }
        return .sequence([.literal(header), self])
    }
}
