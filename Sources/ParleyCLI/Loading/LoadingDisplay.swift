// SPDX-License-Identifier: Apache-2.0

import ParleyFiles
import ParleyLocal
import ParleyModelFile
import ParleyModels
import ParleyPython
import ParleySystem
import Synchronization

/// Shows the progress of loading a model on a terminal, if it takes long enough to be noticed.
final class LoadingDisplay: Sendable {
    private struct State {
        var percent = -1
        var started = ContinuousClock.now
        /// What is being fetched.
        var fetching: ModelManifest?
        var choice: EngineChoice?
    }

    private let model: String
    private let console: Console
    private let fetching: FetchDisplay
    private let status = StatusLine()
    private let state = Mutex(State())

    init(model: String, console: Console) {
        self.model = model
        self.console = console
        fetching = FetchDisplay(console: console)
    }

    /// Runs work that Ctrl-C cancels, and shows what it reports.
    func during<Result: Sendable>(
        _ work: @escaping @Sendable (_ report: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await Interrupts.shared.cancelling { [self] in try await work { self.show($0) } }
            clear()
            // Only now: of a file that no engine loads the error tells all.
            if let choice = state.withLock({ $0.choice }), !choice.passedOver.isEmpty {
                let reasons = choice.passedOver.map { "\($0)" }.joined(separator: "; ")
                console.note("Using \(choice.engine.name), because \(reasons)")
            }
            return result
        } catch {
            clear()
            if error is CancellationError, let manifest = state.withLock({ $0.fetching }) { explainStop(of: manifest) }
            throw error
        }
    }

    /// Says what is left of a download that was stopped.
    private func explainStop(of manifest: ModelManifest) {
        guard ModelStore.ofCommands.keepsPart(of: manifest) else {
            return console.note("Stopped. Nothing of the download is kept.")
        }
        let name = (try? ModelReference(parsing: model)).map { "\($0)" } ?? model
        let needsFlag = manifest.isSpeech && !SpeechModelName.isOne(name)
        let command = ShellCommand("parley models pull" + (needsFlag ? " --speech" : ""), name)
        console.note("Stopped. The downloaded part is kept; \(command) resumes the download.")
    }

    private func show(_ progress: LoadingProgress) {
        switch progress {
        case .missing(let manifest):
            state.withLock { $0.fetching = manifest }
            announce(manifest)
        case .fetching(let event): fetching.show(event)
        case .chosen(let choice):
            fetching.clear()
            state.withLock { state in
                state.fetching = nil
                state.choice = choice
                state.started = .now
            }
        case .loading(let fraction):
            state.withLock { $0.fetching = nil }
            show(fraction)
        }
    }

    /// Says what is going to be fetched.
    private func announce(_ manifest: ModelManifest) {
        let known = manifest.files.compactMap(\.byteCount)
        let size = known.count == manifest.files.count ? known.reduce(ByteSize.zero, +).description : nil
        let facts = [size, manifest.license.map { "licence \($0)" }].compactMap(\.self).joined(separator: ", ")
        let homepage = Catalog.builtIn[manifest.name].map { "\n\($0.homepage)" } ?? ""
        console.note("Fetching \(manifest.name)\(facts.isEmpty ? "" : ": ")\(facts)\(homepage)")
    }

    /// Shows the fraction of the weights that is loaded, where that takes long enough to be noticed.
    private func show(_ fraction: Double) {
        guard status.isShown else { return }
        let percent = Int(max(0, min(1, fraction)) * 100)
        state.withLock { state in
            guard percent != state.percent, state.started.duration(to: .now) > .milliseconds(300) else { return }
            state.percent = percent
            status.draw("Loading… \(percent)%")
        }
    }

    /// Removes what was shown.
    private func clear() {
        fetching.clear()
        state.withLock { state in
            if state.percent >= 0 { status.erase() }
            state.percent = -1
        }
    }
}
