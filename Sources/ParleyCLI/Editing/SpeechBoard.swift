// SPDX-License-Identifier: Apache-2.0

package import ParleySpeech
import Synchronization

/// What is shown of a spoken message, from whatever records it to the thread that draws.
package final class SpeechBoard: Sendable {
    /// How a spoken message ended.
    package enum Ending: Sendable {
        /// What was said.
        case text(String)
        /// There is nothing, with what to tell the user.
        case failed(any Error)
    }

    /// What is shown.
    package struct State: Sendable {
        /// What was understood so far.
        package var text = ""
        /// Whether the recording has ended.
        package var isTranscribing = false
        /// How it ended.
        package var ending: Ending?
    }

    private let shown = Mutex(State())
    private let finishing: @Sendable () -> Void

    /// Begins with nothing.
    ///
    /// - Parameter finish: ends the recording.
    package init(finish: @escaping @Sendable () -> Void) {
        finishing = finish
    }

    /// What is shown now.
    package var state: State { shown.withLock { $0 } }

    /// Ends the recording, which is then written down.
    package func finish() { finishing() }

    /// Shows something else.
    package func show(_ text: String, isTranscribing: Bool) {
        shown.withLock { ($0.text, $0.isTranscribing) = (text, isTranscribing) }
    }

    /// Shows what has happened.
    package func show(_ event: DictationEvent) {
        shown.withLock { state in
            switch event {
            case .words(let text): state.text = text
            case .transcribing: state.isTranscribing = true
            case .transcript(let text, _): (state.text, state.ending) = (text, .text(text))
            }
        }
    }

    /// It has ended.
    package func end(_ ending: Ending) { shown.withLock { $0.ending = $0.ending ?? ending } }
}
