// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import ParleyAudio
import ParleyFiles
import ParleyJSON
import ParleyOpenAI
import ParleySpeech

/// Answers requests of `/v1/audio/transcriptions` and `/v1/audio/translations`.
struct TranscriptionService: Sendable {
    let state: ServerState

    /// The name under which OpenAI's clients ask for Whisper.
    private static let usualName = "whisper-1"

    /// Answers a request; its work ends when its client goes.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func answer(_ asked: ServerRequest, task: TranscriptionTask) async throws -> Response {
        guard let speech = state.speech else { throw ServerError.hearsNothing }
        let (wanted, sound) = try await upload(asked, task, speech)
        let result = try await transcription(of: sound, wanted, speech, asked)
        asked.record.write(status: 200)
        var response = TranscriptionAnswer(wanted).response(result)
        response.tell(ignored: wanted.ignored)
        return response
    }

    /// Reads what is asked for; the sound is in no memory then.
    private func upload(
        _ asked: ServerRequest, _ task: TranscriptionTask, _ speech: ServedSpeech
    ) async throws -> (TranscriptionRequest, UploadedSound) {
        try asked.claim.enter()
        let body = try await asked.bodyReader(state.configuration.limits).bytes(asked.request)
        let form = try MultipartForm(body, type: asked.request.headers[.contentType] ?? "")
        let wanted = try TranscriptionRequest(form, task: task)
        let name = state.configuration.aliases[wanted.model] ?? wanted.model
        guard name == speech.id || name == Self.usualName || state.configuration.aliases["*"] != nil else {
            throw ServerError.modelNotFound(wanted.model, among: [speech.id])
        }
        asked.record.set(model: speech.id)
        let sound = try UploadedSound(form, onlyWAV: state.configuration.onlyReadsWAV)
        asked.claim.giveBack()
        return (wanted, sound)
    }

    private func transcription(
        of file: UploadedSound, _ wanted: TranscriptionRequest, _ speech: ServedSpeech, _ asked: ServerRequest
    ) async throws -> Transcription {
        let work = WholeAnswer<Transcription>(state: state, endedTokens: file.cost) { $0.stats.tokens }
        return try await work.value(for: asked) { turn in
            do {
                let model = try await state.loaded(speech)
                return try await turn.take(of: speech.id, cost: file.cost) {
                    try await model.transcribe(file.source, options: wanted.options)
                }
            } catch let error as SpeechError {
                throw ServerError(error)
            }
        }
    }
}

/// The sound of a request in a temporary file, so that it takes no memory while it waits.
private final class UploadedSound: Sendable {
    let source: AudioFile
    /// About how many tokens its words have.
    let cost: Int
    private let url: URL

    init(_ form: MultipartForm, onlyWAV: Bool) throws {
        let bytes = form.file("file")?.bytes ?? []
        guard !onlyWAV || WAVFormat.recognizes(Data(bytes.prefix(12))) else {
            throw ServerError(
                400, .unsupportedValue, "This server reads WAV alone. Send WAV with 16 bits a sample.", param: "file")
        }
        url = FileManager.default.temporaryDirectory.appending(path: "parley-sound-\(UUID().uuidString)")
        let url = url
        var isKept = false
        defer { if !isKept { try? FileManager.default.removeItem(at: url) } }
        do {
            // The folder may be everybody's, so that the file is the user's alone from its first moment on.
            let file = try UnfinishedFile(for: url)
            try file.append(Data(bytes))
            try file.publish(isFlushed: false)
        } catch {
            throw ServerError(500, .engineFailed, "The sound could not be stored; the disk may be full.", cause: error)
        }
        do {
            source = try AudioFile(url)
        } catch let error as AudioError {
            throw ServerError(
                400, .unsupportedValue,
                "The sound is in no form that is read here, or damaged. Send WAV with 16 bits a sample.", param: "file",
                cause: error)
        }
        cost = RequestCost.hearing(bytes: bytes.count, duration: source.duration)
        isKept = true
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

extension ServerError {
    /// The answer of a server without a speech model.
    package static let hearsNothing = ServerError(
        404, .modelNotFound, "This server has no speech model. Start it with --speech.", param: "model")
}
