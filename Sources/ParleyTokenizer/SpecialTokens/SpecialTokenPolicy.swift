// SPDX-License-Identifier: Apache-2.0

/// How the texts of control tokens within a text are treated.
///
/// User-defined tokens are not control tokens: a tokenizer always recognises them, as llama.cpp's does. Prompts of
/// several authors are encoded from segments, which has a stricter rule.
public enum SpecialTokenPolicy: Sendable, Hashable {
    /// They are text like any other. Right for what a user typed.
    case asText
    /// They are control tokens. Right for what a template wrote and for nothing else.
    case parsed
}
