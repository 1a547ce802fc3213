// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport

/// The default model, loaded once for all tests.
enum DefaultModel {
    private static let loading = Task {
        try await NativeModel.load(References.url(References.defaultModel), configuration: .init(context: 2_048))
    }

    /// A runner that nobody else uses.
    static func runner(timelines: Int = 4) async throws -> LocalModelRunner {
        let model = try await loading.value
        return try LocalModelRunner(
            model, id: "smollm2-135m", contextSize: model.context,
            sampling: .init(temperature: 0.2, topP: 0.9, repetitionPenalty: 1), timelines: timelines)
    }
}
