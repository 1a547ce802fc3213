// SPDX-License-Identifier: Apache-2.0

package import ParleyAudio

/// Takes sound and says what is to be recognised, and what has been understood.
///
/// A pure value: it knows no clock, no model and no task, so tests script all of them. Whoever drives it asks ``next()``
/// until there is nothing to do, does what it says, and reports back. Final results depend on the samples alone: not on
/// how they were cut into pieces, and not on when recognitions ended. `live` adds passes over the speech that goes on, and
/// recognises an utterance as soon as its sound is there: its result is shown, and is final once the pause is long enough.
package struct TranscriptionMachine: Sendable {
    /// What is to be done.
    package enum Action: Sendable {
        /// Nothing before there is more sound, or before the recognition that runs is reported.
        case wait
        /// Detect the language, and report it with ``TranscriptionMachine/detected(_:by:)``.
        case detectLanguage(AudioSamples, job: Int)
        /// Recognise, and report it with ``TranscriptionMachine/recognized(_:by:)``.
        case recognize(RecognitionRequest, job: Int)
        /// Cancel the recognition that runs; a report of it will be ignored.
        case abandon(job: Int)
        /// Show or keep a result.
        case deliver(TranscriptionResult)
        /// All has been said.
        case finish
    }

    private enum Purpose {
        case final
        /// What will be final if nobody speaks on.
        case anticipation
        case pass, settling

        /// Whether it is of use only until the next one.
        var isPass: Bool { self == .pass || self == .settling }
    }

    /// What runs.
    private struct Job {
        var id: Int
        var purpose: Purpose
        var stretch: SpeechStretch
        var isDetection = false
        var choice: SessionLanguage.Choice?
    }

    private let options: TranscriptionOptions
    private let showsPasses: Bool
    private var stretches: SpokenStretches
    private var language: SessionLanguage
    private var isCancelled = false
    private var job: Job?
    /// A job whose language has just become known.
    private var redo: Job?
    /// What was last recognised as if nobody spoke on.
    private var anticipation: (job: Job, recognition: Recognition)?
    private var abandoned: Int?
    private var jobCount = 0
    private var results: [TranscriptionResult] = []
    private var passes: PassMemory?
    /// Whether a result that is not final is shown.
    private var showsVolatile = false
    /// The text before a stretch that continues another, where it was decoded at a low temperature.
    private var context: String?
    private var contextLanguage: SessionLanguage.Choice?

    /// What the recognitions cost.
    package private(set) var stats = RecognitionStats()
    /// The language of the session, or of the last stretch where none is kept yet.
    var choice: SessionLanguage.Choice? { language.kept ?? contextLanguage }
    /// How many samples are held.
    package var heldCount: Int { stretches.heldCount }
    /// How long the sound is so far.
    package var duration: Duration { time(stretches.count) }

    /// A pass waits for so much new sound: half a second.
    private static let passStep = 8000
    /// Passes hear at most so much: 15 seconds.
    private static let longestPass = 240_000
    /// Text decoded at this temperature or a higher one does not condition what follows.
    private static let conditioningLimit = 0.5

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - options: how speech is written down.
    ///   - languages: those of the recogniser.
    ///   - activity: what finds speech.
    ///   - live: whether the speech that goes on is recognised again and again.
    /// - Throws: `SpeechError`, if the recogniser does not know the language.
    package init(
        _ options: TranscriptionOptions, languages: [String], activity: any VoiceActivity, live: Bool
    ) throws {
        self.options = options
        showsPasses = live
        let rules = options.endpointing.map(StretchRules.init) ?? (live ? StretchRules(Endpointing()) : .windows)
        stretches = SpokenStretches(rules, activity: activity)
        language = try SessionLanguage(options, languages: languages)
    }

    // MARK: Sound

    /// Takes the next samples, of ``AudioSamples/speechRate``.
    package mutating func append(_ samples: [Float]) {
        if stretches.hasEnded || isCancelled { return }
        stretches.append(samples)
        confirmAnticipation()
    }

    /// Takes the end of the sound; what was spoken last is still recognised.
    package mutating func finish() {
        if stretches.hasEnded || isCancelled { return }
        stretches.finish()
        confirmAnticipation()
    }

    /// Ends everything: nothing more is recognised or delivered.
    package mutating func cancel() {
        isCancelled = true
        abandoned = job?.id ?? abandoned
        job = nil
        results = []
        redo = nil
        anticipation = nil
    }

    /// What was anticipated may have come true.
    private mutating func confirmAnticipation() {
        if job?.stretch == stretches.first, job?.purpose == .anticipation { job?.purpose = .final }
        if redo?.stretch == stretches.first, redo?.purpose == .anticipation { redo?.purpose = .final }
    }

    // MARK: What is to be done

    /// The next thing to do; ``Action/wait`` once there is nothing.
    package mutating func next() -> Action {
        if let id = abandoned {
            abandoned = nil
            return .abandon(job: id)
        }
        if isCancelled { return .finish }
        if !results.isEmpty { return .deliver(results.removeFirst()) }
        if let running = job {
            // What an utterance's last pass would say comes too late once the utterance is over, or seems to be.
            let isLate =
                stretches.first == nil ? running.purpose.isPass && expected != nil : running.purpose != .final
            guard isLate else { return .wait }
            job = nil
            return .abandon(job: running.id)
        }
        if let known = redo {
            redo = nil
            if known.purpose == .final || stretches.first == nil { return begin(known) }
        }
        if let stretch = stretches.first {
            defer { anticipation = nil }
            guard let (job, recognition) = anticipation, job.stretch == stretch else {
                return begin(Job(id: newID(), purpose: .final, stretch: stretch))
            }
            conclude(job, recognition)
            return next()
        }
        if stretches.isOver { return .finish }
        if let stretch = expected {
            follow(stretch)
            return begin(Job(id: newID(), purpose: .anticipation, stretch: stretch))
        }
        return showsPasses && !stretches.hasEnded ? nextPass() : .wait
    }

    /// The stretch that ends here if nobody speaks on, and that has not been recognised yet.
    private var expected: SpeechStretch? {
        guard showsPasses, !stretches.hasEnded, let stretch = stretches.anticipated,
            stretch != anticipation?.job.stretch
        else { return nil }
        return stretch
    }

    private mutating func newID() -> Int {
        jobCount += 1
        return jobCount
    }

    /// Recognises a stretch, or first its language.
    private mutating func begin(_ next: Job) -> Action {
        var next = next
        let audio = stretches[next.stretch.range]
        next.choice = next.choice ?? language.kept
        guard let choice = next.choice else {
            next.isDetection = true
            job = next
            return .detectLanguage(audio, job: next.id)
        }
        next.isDetection = false
        job = next
        return .recognize(request(for: next, audio: audio, language: choice.language), job: next.id)
    }

    private func request(for job: Job, audio: AudioSamples, language: String) -> RecognitionRequest {
        let stretch = job.stretch
        let time = { (place: Int) in
            Duration.seconds(samples: max(0, place - stretch.range.lowerBound), rate: AudioSamples.speechRate)
        }
        var request = RecognitionRequest(
            audio: audio, speech: time(stretch.speech.lowerBound)..<time(stretch.speech.upperBound),
            language: language)
        request.task = options.task
        request.temperatures = options.temperatures
        request.compressionRatioThreshold = options.compressionRatioThreshold
        request.logProbThreshold = options.logProbThreshold
        request.noSpeechThreshold = options.noSpeechThreshold
        request.audioContext = options.audioContext
        request.prompt = options.prompt
        switch job.purpose {
        case .final, .anticipation:
            request.timestamps = options.timestamps
            request.beamSize = options.beamSize
            if stretch.continues { request.context = context }
        case .pass, .settling:
            request.timestamps = .none
            // One attempt: the next pass hears more anyway.
            request.temperatures = Array(options.temperatures.prefix(1))
            let settled = joined(passes?.settled ?? [], spoken: language)
            if !settled.isEmpty { request.context = settled }
            if job.purpose == .pass, let passes { (request.prefix, request.draft) = (passes.prefix, passes.draft) }
        }
        return request
    }

    /// Remembers what is recognised of an utterance, from its beginning on.
    private mutating func follow(_ utterance: SpeechStretch) {
        let start = utterance.range.lowerBound
        if passes?.utterance != start { passes = PassMemory(utterance: start) }
    }

    /// A pass over the speech that goes on, if enough of it is new.
    private mutating func nextPass() -> Action {
        guard let current = stretches.current else { return .wait }
        follow(current)
        guard let passes, current.range.upperBound - passes.end >= Self.passStep, current.speech.upperBound > passes.end
        else { return .wait }
        // The language of an utterance is a guess before there is a second of it.
        if language.kept == nil, current.spokenCount < SessionLanguage.enoughSpeech { return .wait }
        var stretch = current
        stretch.range = passes.start..<current.range.upperBound
        var purpose = Purpose.pass
        if stretch.range.count > Self.longestPass {
            let middle = passes.start + Self.longestPass / 2
            let place = stretches.longestPause(in: (passes.start + Self.longestPass / 4)..<stretch.range.upperBound)
            stretch.range = passes.start..<(place ?? middle)
            purpose = .settling
        }
        stretch.speech = stretch.speech.clamped(to: stretch.range)
        return begin(Job(id: newID(), purpose: purpose, stretch: stretch))
    }

    // MARK: Reports

    /// Takes the language that was detected for a job.
    package mutating func detected(_ language: (language: String, probability: Double), by id: Int) {
        guard var job, job.id == id, job.isDetection else { return }
        job.choice = self.language.choice(language)
        self.job = nil
        redo = job
    }

    /// Takes what was recognised for a job.
    package mutating func recognized(_ recognition: Recognition, by id: Int) {
        guard let job, job.id == id, !job.isDetection else { return }
        self.job = nil
        stats += recognition.stats
        switch job.purpose {
        case .final: conclude(job, recognition)
        case .anticipation:
            anticipation = (job, recognition)
            // A result of which a part is still to come would take words away that are shown.
            let end = stretches.end(of: job.stretch, consumed: recognition.consumed)
            if end == job.stretch.range.upperBound { show(job, recognition) }
        case .pass: show(job, recognition)
        case .settling: passes?.settle(recognition.text, upTo: job.stretch.range.upperBound)
        }
    }

    private mutating func show(_ job: Job, _ recognition: Recognition) {
        guard var passes, let choice = job.choice else { return }
        let end = job.stretch.range.upperBound
        var texts = [recognition.text]
        if job.purpose == .anticipation {
            passes.whole(recognition, upTo: end)
        } else {
            texts = passes.settled + texts
            passes.pass(recognition, upTo: end)
        }
        self.passes = passes
        let text = joined(texts, spoken: choice.language)
        if text.isEmpty, !showsVolatile { return }
        showsVolatile = !text.isEmpty
        results.append(
            TranscriptionResult(
                text: text, range: time(passes.utterance)..<time(end), isFinal: false,
                language: choice.language, languageSource: choice.source))
    }

    private mutating func conclude(_ job: Job, _ recognition: Recognition) {
        guard let choice = job.choice, let stretch = stretches.first else { return }
        if job.stretch.spokenCount >= SessionLanguage.enoughSpeech { language.keep(choice) }
        contextLanguage = choice
        let consumed = stretches.end(of: stretch, consumed: recognition.consumed)
        let offset = time(stretch.range.lowerBound)
        let segments = recognition.segments.compactMap { $0.moved(by: offset, within: offset..<time(consumed)) }
        let text = SpokenText.trim(recognition.text)
        if !text.isEmpty {
            showsVolatile = false
            results.append(
                TranscriptionResult(
                    text: text, range: offset..<time(consumed), isFinal: true, segments: segments,
                    language: choice.language, languageSource: choice.source))
        } else if showsVolatile {
            showsVolatile = false
            results.append(
                TranscriptionResult(
                    text: "", range: offset..<time(consumed), isFinal: false, language: choice.language,
                    languageSource: choice.source))
        }
        context = recognition.temperature < Self.conditioningLimit && !text.isEmpty ? text : nil
        stretches.advance(to: consumed)
        confirmAnticipation()
    }

    private func time(_ place: Int) -> Duration { .seconds(samples: place, rate: AudioSamples.speechRate) }

    /// Joins texts of what was spoken in a language.
    private func joined(_ texts: [String], spoken language: String) -> String {
        SpokenText.joined(texts, language: options.task.language(ofText: language))
    }
}

extension TranscriptionSegment {
    /// The same segment with times from another beginning, inside of a range; `nil` without text.
    fileprivate func moved(by offset: Duration, within limits: Range<Duration>) -> TranscriptionSegment? {
        var moved = self
        moved.text = SpokenText.trim(text)
        if moved.text.isEmpty { return nil }
        func move(_ range: Range<Duration>) -> Range<Duration> {
            (range.lowerBound + offset..<range.upperBound + offset).clamped(to: limits)
        }
        moved.range = move(range)
        moved.words = words.map { word in
            var word = word
            word.range = move(word.range)
            return word
        }
        return moved
    }
}
