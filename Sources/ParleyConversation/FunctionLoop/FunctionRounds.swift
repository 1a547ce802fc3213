// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON
import ParleySystem

/// The rounds of one ``FunctionLoop/run(_:generationOptions:)``.
struct FunctionRounds: Sendable {
    let loop: FunctionLoop
    let options: GenerationOptions?
    /// The replies and the functions between them, in which no other request comes.
    let series: ReplySeries
    let emit: @Sendable (FunctionLoopEvent) -> Void

    /// Runs the rounds within the limit on time. Cancelling the task ends them with an outcome, not an error.
    func run(_ message: ChatMessage?) async throws -> FunctionLoopOutcome {
        defer { loop.conversation.end(series) }
        guard let time = loop.limits.time?.foreseeable else { return try await rounds(message) }
        return try await withThrowingTaskGroup(of: FunctionLoopOutcome?.self) { group in
            group.addTask { try await rounds(message) }
            group.addTask {
                try? await loop.clock.sleep(for: max(time, .zero))
                return nil
            }
            var isLate = false
            while let result = try await group.next() {
                if var outcome = result {
                    group.cancelAll()
                    if isLate, outcome.reason == .cutOff { outcome.reason = .timeLimit }
                    return outcome
                }
                // The sleep has ended, by itself or because the caller cancels.
                isLate = !Task.isCancelled
                group.cancelAll()
            }
            return FunctionLoopOutcome(reason: .cutOff, completion: nil, rounds: 0)
        }
    }

    private func rounds(_ message: ChatMessage?) async throws -> FunctionLoopOutcome {
        var message = message
        var options = options
        var round = 0
        while true {
            round += 1
            let completion = try await reply(to: message, options)
            func ended(_ reason: FunctionLoopOutcome.Reason) -> FunctionLoopOutcome {
                FunctionLoopOutcome(reason: reason, completion: completion, rounds: round)
            }
            let calls = completion.message.functionCalls ?? []
            let rejections = completion.info.rejectedFunctionCalls
            guard [.stop, .functionCall, .constraint].contains(completion.finishReason) else {
                refuse(calls, "The reply was cut off, so the call was not made.")
                return ended(.cutOff)
            }
            if calls.isEmpty, rejections.isEmpty { return ended(.answered) }
            if round >= loop.limits.rounds {
                refuse(calls, "The limit of rounds was reached, so the call was not made.")
                return ended(.roundLimit)
            }
            await answer(calls)
            // A model that must call in every round could never answer.
            if !calls.isEmpty, options?.functionCalling.isForced == true { options?.functionCalling = .automatic }
            if Task.isCancelled { return ended(.cutOff) }
            message = rejections.isEmpty ? nil : .user(Self.complaint(about: rejections))
        }
    }

    /// Generates one reply. Cancelling the task stops it and returns the part generated so far.
    private func reply(to message: ChatMessage?, _ options: GenerationOptions?) async throws -> MessageCompletion {
        let reply = loop.conversation.reply(
            to: message, options, functions: loop.tools.values.map(\.function), series: series)
        for try await response in reply { emit(.response(response)) }
        return try await reply.completion
    }

    /// Runs the approved calls, and adds a result for every call to the history, in the order of the calls.
    private func answer(_ calls: [FunctionCall]) async {
        // nil means not decided; such a call is not made.
        var approvals: [FunctionApproval?] = []
        for call in calls { approvals.append(try? await Self.value { await loop.approve(call) }) }
        let results = await withTaskGroup(of: (Int, ChatMessage).self) { group in
            var results: [Int: ChatMessage] = [:]
            for (index, call) in calls.enumerated() {
                let approval = approvals[index]
                group.addTask { (index, await result(of: call, approval)) }
                if !loop.limits.runsCallsInParallel, let (index, message) = await group.next() {
                    results[index] = message
                }
            }
            for await (index, message) in group { results[index] = message }
            return results
        }
        for (index, call) in calls.enumerated() {
            if let message = results[index] { record(message, for: call) }
        }
    }

    private func result(of call: FunctionCall, _ approval: FunctionApproval?) async -> ChatMessage {
        if case .deny(let reason)? = approval { return .functionError("The call was denied: \(reason)", for: call) }
        guard let tool = loop.tools[ExactText(call.name)] else {
            let known = loop.tools.keys.map(\.string).sorted().joined(separator: ", ")
            return .functionError("There is no function of that name. There are: \(known).", for: call)
        }
        do {
            guard approval != nil else { throw CancellationError() }
            return .functionResult(try await Self.value { try await tool.run(call) }, for: call)
        } catch is CancellationError {
            return .functionError("The function was stopped before it had a result.", for: call)
        } catch {
            return .functionError("The function failed: \(error)", for: call)
        }
    }

    /// The result of running the app's code in a task of its own. Cancelling the current task cancels that task and
    /// stops waiting for it, because the code may be asking a person and ignore cancellation.
    private static func value<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let values = EventBuffer<Value>()
        let task = Task {
            do {
                values.append(try await body())
            } catch {
                values.finish(throwing: error)
            }
        }
        let value = try await withTaskCancellationHandler {
            try await values.next()
        } onCancel: {
            task.cancel()
            values.abandon()
        }
        guard let value else { throw CancellationError() }
        return value
    }

    private func refuse(_ calls: [FunctionCall], _ reason: String) {
        for call in calls { record(.functionError(reason, for: call), for: call) }
    }

    private func record(_ message: ChatMessage, for call: FunctionCall) {
        loop.conversation.settle(message)
        emit(.result(call, message))
    }

    private static func complaint(about rejections: [FunctionCallRejection]) -> String {
        let reasons = rejections.map { "- \($0.message)" }.joined(separator: "\n")
        return "Function calls could not be read and were not made:\n\(reasons)\nWrite them again, or answer."
    }
}
