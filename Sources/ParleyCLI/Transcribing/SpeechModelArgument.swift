// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension ArgumentHelp {
    /// The help of options that name a speech model.
    static let speechModel = ArgumentHelp(
        "A name (whisper-base), the path of a ggml-*.bin or of a folder in CTranslate2's format, or hf:OWNER/REPO[:FILE].",
        valueName: "name")
}

/// Which files are sounds.
enum SoundFiles {
    /// How their names usually end.
    static let extensions = ["wav", "flac", "mp3", "ogg", "opus", "oga", "aiff", "aif", "m4a"]
}
