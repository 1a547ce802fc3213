// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyHTTP
import ParleyOpenAI
import ParleySampling

// The examples in the comments of ParleyOpenAI and ParleySampling, word for word.

private func log(_ text: String) {}

private func samplingOptionsExample(_ recommended: SamplingOptions) -> SamplingOptions {
    let asked = SamplingOptions(temperature: 0, seed: 7)
    let sampling = asked.filled(from: recommended.inRange)
    return sampling
}

private func chatCompletionRequestExample() async throws {
    func answer(_ body: [UInt8], with runner: any ModelRunner, to writer: ResponseWriter) async throws {
        let request = try ChatCompletionRequest(reading: body)
        for name in request.ignored { log("\(name) is not known") }
        try request.requireSupport(for: .choices)
        _ = try await runner.generate(GenerationRequest(request), to: writer)
    }
}

private func streamReaderExample() async throws {
    func read(
        _ events: some AsyncSequence<ServerSentEvent, any Error>, to writer: ResponseWriter
    ) async throws -> GenerationOutcome {
        var reader = ChatCompletionStreamReader()
        for try await event in events where event.data != ChatCompletionChunk.end {
            await writer.write(try reader.read(ChatCompletionChunk(reading: event.data.utf8)))
        }
        let (parts, outcome) = reader.finish()
        await writer.write(parts)
        return outcome
    }
}
