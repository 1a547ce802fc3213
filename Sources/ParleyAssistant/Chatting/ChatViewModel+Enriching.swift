// SPDX-License-Identifier: Apache-2.0

extension ChatViewModel {
    /// Summarises the notes that have no summary yet, until all are done, ``stop()`` is called or a message is sent.
    ///
    /// - Returns: the entries of the log, of which each can be undone; empty while a turn is in progress, without notes
    ///   or a model, in a dry run, and if the policy denies changes of notes.
    public func enrichNotes() async -> [ActionLogEntry] {
        guard !isGenerating else { return [] }
        enriching?.cancel()
        let task = enrichment(after: .zero)
        enriching = task
        return await task?.value ?? []
    }

    /// Summarises notes as soon as the model has been idle for a while, if the settings say so.
    func enrichWhenIdle() {
        enriching?.cancel()
        let settings = dependencies.settings()
        enriching = settings.enrichesNotes ? enrichment(after: settings.idleTime) : nil
    }

    private func enrichment(after delay: Duration) -> Task<[ActionLogEntry], Never>? {
        let actions = dependencies.actions
        guard let runner = model?.runner,
            let enricher = NoteEnricher(actions.stores, log: actions.log, context: dependencies.context)
        else { return nil }
        return Task { [clock = dependencies.clock] in
            let limits = await actions.settings
            guard !limits.isDryRun, limits.policy[.note, .change] != .deny else { return [] }
            if delay > .zero, (try? await clock.sleep(for: delay)) == nil { return [] }
            return await enricher.run(on: runner)
        }
    }
}
