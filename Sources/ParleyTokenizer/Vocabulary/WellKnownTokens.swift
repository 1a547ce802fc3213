// SPDX-License-Identifier: Apache-2.0

/// Texts that identify tokens whose purpose the file does not state; the lists are llama.cpp's.
enum WellKnownTokens {
    static let endOfGeneration = [
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
        "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>",
        "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
    ]

    /// Marks inside an answer that are always rendered.
    static let channelMarks = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"]

    /// The tokens of prompts to fill in the middle of a text, by role.
    static let fillInMiddle = [prefix, suffix, middle, padding, repository, fileSeparator]

    static let prefix = [
        "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>",
        "<|prefix|>",
    ]
    static let suffix = [
        "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>",
        "<|suffix|>",
    ]
    static let middle = [
        "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
        "<|middle|>",
    ]
    static let padding = ["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"]
    static let repository = ["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"]
    static let fileSeparator = ["<|file_sep|>"]
}
