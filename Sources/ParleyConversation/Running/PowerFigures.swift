// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// What a machine runs on and how hot it is, and how much of it a model uses therefore.
public struct PowerFigures: Hashable, Sendable {
    /// The name of the policy that decides: `automatic`, `performance` or `quiet`.
    public var policy: String
    /// The threads that run the model's steps now.
    public var threads: Int
    /// The most tokens that run through the model together now.
    public var stepTokens: Int
    /// Whether the machine's battery is being discharged.
    public var isOnBattery = false
    /// How full its batteries are, in percent; nil without one, or if it is not known.
    public var charge: Int?
    /// Whether its user has asked it to save energy.
    public var savesEnergy = false
    /// How hot it is: `nominal`, `fair`, `serious` or `critical`.
    public var heat = "nominal"

    /// Creates the figures of a cool machine on mains.
    public init(policy: String, threads: Int, stepTokens: Int) {
        self.policy = policy
        self.threads = threads
        self.stepTokens = stepTokens
    }

    /// The figures as a JSON object.
    package var json: JSONValue {
        [
            "policy": .string(policy), "threads": .integer(threads), "step_tokens": .integer(stepTokens),
            "on_battery": .bool(isOnBattery), "charge": charge.map(JSONValue.integer) ?? .null,
            "saves_energy": .bool(savesEnergy), "heat": .string(heat),
        ]
    }

    /// What is special about them, in a few words; nil on a cool machine on mains with the usual policy.
    package var remark: String? {
        let remarks = [
            policy == "automatic" ? nil : policy, isOnBattery ? "on battery" : nil,
            savesEnergy ? "saving energy" : nil, heat == "nominal" ? nil : "heat \(heat)",
        ].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: ", ")
    }
}
