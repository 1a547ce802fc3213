// SPDX-License-Identifier: Apache-2.0

// What apps get by `import Parley`.
@_exported public import ParleyAudio
@_exported public import struct ParleyConstraint.Grammar
@_exported public import ParleyConversation
@_exported public import ParleyDialect
@_exported public import ParleyGeneratable
@_exported public import ParleyHTTP
@_exported public import ParleyJSON
@_exported public import ParleyLocal
@_exported public import ParleyLocalEngines
@_exported public import ParleyModelFile
@_exported public import ParleyModels
@_exported public import ParleyOpenAI
@_exported public import ParleyRemote
@_exported public import ParleyRuntime
@_exported public import ParleySampling
@_exported public import ParleySpeech
@_exported public import ParleySystem
@_exported public import ParleyTokenizer
