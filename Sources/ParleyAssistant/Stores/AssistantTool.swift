// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A tool of another program, which a model that is trained for it may call as a function.
///
/// Nobody knows what a tool does, so each call is asked about unless the policy says otherwise, and its answer is
/// untrusted. What it did is not in the log and cannot be undone.
public struct AssistantTool: Sendable {
    /// Which tool it is.
    public var name: ToolName
    /// The function that the model calls; its name belongs to no other tool.
    public var function: Function
    /// Calls the tool and returns its answer, of bounded length.
    ///
    /// It throws an ``AssistantError``, or `CancellationError`.
    public var run: @Sendable (JSONObject) async throws -> String

    /// Creates a tool.
    public init(_ name: ToolName, _ function: Function, run: @escaping @Sendable (JSONObject) async throws -> String) {
        (self.name, self.function, self.run) = (name, function, run)
    }
}
