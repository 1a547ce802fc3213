// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ChatViewModel {
    /// Chooses the model of this chat, which is loaded now; the choice is kept with the chat.
    ///
    /// - Parameter name: the name of a model that the provider knows; nil for the usual one.
    /// - Returns: whether it was chosen; not while a turn is in progress or a model is loaded. Where the model cannot be
    ///   loaded, an error is shown, and the chat keeps the model that it had.
    @discardableResult
    public func chooseModel(_ name: String?) async -> Bool {
        guard !isGenerating, !isModelLoading else { return false }
        do {
            try await use(name)
        } catch {
            report("\(error)")
            return false
        }
        chat.choose(model: name)
        await keep()
        return true
    }

    /// Loads the model with a name and uses it from now on.
    ///
    /// - Throws: any error of the provider.
    func use(_ name: String?) async throws {
        isModelLoading = true
        defer { isModelLoading = false }
        let loaded = try await named(name)
        (model, usedModel, modelName) = (loaded, name, loaded.runner.modelID)
        // What another model has computed is of no use to this one.
        conversation = nil
        await checkFunctions()
        isModelLoaded = true
    }

    private func named(_ name: String?) async throws -> ChatModel {
        guard let name else { return try await dependencies.models.model() }
        return try await dependencies.models.model(name)
    }

    /// The model for a turn; nil, after saying why, if there is none.
    func model(for turn: ChatTurn) async -> ChatModel? {
        do {
            var chosen = model
            if let name = turn.draft.model {
                chosen = try await named(name)
                turn.isGuest = true
            } else if chat.model != usedModel {
                try await use(chat.model)
                chosen = model
            }
            if turn.draft.hasImages, chosen?.seesImages != true {
                chosen = try await dependencies.models.visionModel()
                turn.isGuest = true
            }
            if !turn.isOver || turn.replyID != nil { return chosen }
        } catch {
            guard turn.replyID == nil else {
                await finish(turn, .failed(error), isUntrusted: false, toolServers: [])
                return nil
            }
            report("\(error)")
        }
        if turn.draft.isOfKeptMessage {
            // What was on the screen before is shown again.
            await showPath()
        } else if inputText.isEmpty, attachments.isEmpty, turn.replyID == nil {
            // Nothing was sent; the message goes back to where it came from, unless a new one has been begun there.
            (inputText, attachments, replyingTo) = (turn.draft.text, turn.draft.attachments, turn.draft.replyingTo)
        }
        return nil
    }
}
