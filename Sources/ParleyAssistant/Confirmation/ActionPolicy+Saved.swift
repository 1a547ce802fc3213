// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

extension ActionPolicy {
    /// Reads a policy as the settings have it: `{"calendar": {"delete": "deny"}}`, with the short names of the tools,
    /// the effects and the decisions. What is not in it is as usual.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` that names the member.
    package init(saved value: JSONValue) throws(AssistantError) { self = try ActionPolicy().changed(by: value) }

    /// The policy with other decisions about what is in a value of the same form; all else stays as it is here.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` that names the member.
    package func changed(by value: JSONValue) throws(AssistantError) -> ActionPolicy {
        var changed = self
        guard let tools = value.object else {
            throw AssistantError(.invalidInput, #"policy must be an object, such as {"calendar": {"delete": "deny"}}."#)
        }
        for (name, value) in tools {
            guard let tag = ActionTag(toolName: name) else {
                throw AssistantError(.invalidInput, "policy names \"\(name)\", which is no tool.")
            }
            guard let effects = value.object else {
                throw AssistantError(.invalidInput, "policy.\(name) must be an object.")
            }
            for (effectName, value) in effects {
                guard let effect = Effect(rawValue: effectName),
                    let decision = value.string.flatMap(Decision.init(rawValue:))
                else {
                    throw AssistantError(
                        .invalidInput,
                        "policy.\(name).\(effectName) means nothing. The effects are read, create, change and delete; "
                            + "the decisions automatic, ask and deny.")
                }
                changed[tag, effect] = decision
            }
        }
        return changed
    }

    /// The policy as the settings have it: what differs from the usual.
    package var saved: JSONValue {
        let usual = ActionPolicy()
        var tools: JSONObject = [:]
        for tag in ActionTag.allCases + [.tool] {
            var effects: JSONObject = [:]
            for effect in Effect.allCases where self[tag, effect] != usual[tag, effect] {
                effects[effect.rawValue] = .string(self[tag, effect].rawValue)
            }
            if !effects.isEmpty { tools[tag.toolName] = .object(effects) }
        }
        return .object(tools)
    }
}
