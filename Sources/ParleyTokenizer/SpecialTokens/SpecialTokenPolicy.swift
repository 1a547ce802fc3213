// SPDX-License-Identifier: Apache-2.0

/// How the texts of control tokens within a text are treated.
///
/// User-defined tokens are not control tokens: a tokenizer always recognises them, as llama.cpp does. For prompts with
/// untrusted parts encode segments instead, for which stricter rules apply; see ``ReservedTokens``.
public enum SpecialTokenPolicy: Sendable, Hashable {
    /// They are treated as ordinary text. Use this for text that a user typed.
    case asText
    /// They become control tokens. Use this only for text that a template wrote.
    case parsed
}
