// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Every Swift target compiles with the same language features.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "parley",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "parley", targets: ["ParleyCLI"]),
        .executable(name: "parley-server", targets: ["ParleyServerCLI"]),
        .library(name: "Parley", targets: ["Parley"]),
        .library(name: "ParleyAssistant", targets: ["ParleyActions", "ParleyAssistant", "ParleyFoundationModels"]),
        .library(name: "ParleyTesting", targets: ["ParleyTesting"]),
    ],
    traits: [
        .trait(name: "ExecuTorch", description: "Builds ExecuTorch, opened at run time, in as a further engine."),
        .trait(name: "LlamaCpp", description: "Builds llama.cpp, found by pkg-config, in as a second engine."),
        .trait(name: "LiteRTLM", description: "Builds LiteRT-LM, opened at run time, in as a further engine."),
        .trait(name: "MLX", description: "Builds MLX, opened at run time, in as a further engine."),
        .trait(name: "ONNX", description: "Builds ONNX Runtime, opened at run time, in as a further engine."),
        .trait(name: "TLS", description: "Lets parley-server encrypt, by SwiftNIO's BoringSSL; it doubles its build."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        // Without its traits: they bring swift-configuration and more of Foundation, which the server does not use.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // SIMD kernels in C11: no allocation, no I/O, no threads, no globals but the dispatch table.
        .target(name: "CParleyKernels"),
        // SHA-256 in C11, with the processor's own instructions where it has them; Apple's systems have CryptoKit for it.
        .target(name: "CParleySHA256"),
        // The one system call of Linux that Swift cannot make.
        .target(name: "CParleySystem"),
        // Ordered, bounded JSON that keeps the kinds of numbers.
        .target(
            name: "ParleyJSON",
            dependencies: [.product(name: "OrderedCollections", package: "swift-collections")],
            swiftSettings: settings),
        // An HTTP client: streaming bodies, server-sent events, redirects that drop credentials, limits; whose an address is.
        .target(name: "ParleyHTTP", dependencies: ["ParleySystem"], swiftSettings: settings),
        // Files that are written whole: temporary names, flushing, locks, and names that are safe everywhere.
        .target(name: "ParleyFiles", dependencies: ["CParleySHA256"], swiftSettings: settings),
        // How tokens are drawn: the options, their ranges and usual values.
        .target(name: "ParleySampling", swiftSettings: settings),
        // iCalendar: content lines that survive byte for byte, typed events and to-dos, recurrence; knows no store.
        .target(name: "ParleyCalendar", swiftSettings: settings),
        .target(name: "ParleyMarkdown", swiftSettings: settings),
        // Threads, sleeping, which limits of time are none, other programs, and what the machine has of memory and cores.
        .target(name: "ParleySystem", dependencies: ["CParleySystem"], swiftSettings: settings),
        // Sound in one channel: samples, sound files, other sample rates, microphones.
        .target(name: "ParleyAudio", swiftSettings: settings),
        // Speech to text over any recogniser: the seam, voice activity, long files, utterances while someone speaks, and
        // the forms in which transcriptions are written.
        .target(
            name: "ParleySpeech", dependencies: ["ParleyAudio", "ParleyJSON", "ParleySystem"], swiftSettings: settings),
        // Owns memory and worker threads, and is the only Swift code that calls the kernels.
        .target(name: "ParleyTensor", dependencies: ["CParleyKernels", "ParleySystem"], swiftSettings: settings),
        // Text to token ids and back, incrementally, from a `TokenizerDescription`.
        .target(name: "ParleyTokenizer", dependencies: ["ParleyJSON"], swiftSettings: settings),
        // Chat templates: a Jinja interpreter whose output remembers what came from the template and what from its input.
        .target(
            name: "ParleyTemplate",
            dependencies: ["ParleyJSON", .product(name: "OrderedCollections", package: "swift-collections")],
            swiftSettings: settings),
        // Reads model files (GGUF): mapped, checked, typed metadata, tensor descriptors, the tokenizer's description.
        .target(
            name: "ParleyModelFile", dependencies: ["ParleyJSON", "ParleySampling", "ParleySystem", "ParleyTokenizer"],
            swiftSettings: settings),
        // The seam for token-level engines, sampling, limits, the decode loop, the shell of engines.
        .target(
            name: "ParleyRuntime",
            dependencies: [
                "ParleySampling", "ParleySystem", "ParleyTokenizer",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // What the next token may be: JSON Schema and grammars as token masks.
        .target(
            name: "ParleyConstraint", dependencies: ["ParleyJSON", "ParleyRuntime", "ParleyTokenizer"],
            swiftSettings: settings),
        // What networks are made of, decoders and encoders: layers with their caches and scratch, and the loading of weights.
        .target(
            name: "ParleyNetwork", dependencies: ["ParleyModelFile", "ParleySystem", "ParleyTensor"],
            swiftSettings: settings),
        // The native engine: architectures, batches through them, memory plan.
        .target(
            name: "ParleyEngine",
            dependencies: [
                "ParleyModelFile", "ParleyNetwork", "ParleyRuntime", "ParleySystem", "ParleyTensor", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // Whisper on our own kernels: files, spectrum, encoder, decoder and its rules, behind the seam of ParleySpeech.
        .target(
            name: "ParleyWhisper",
            dependencies: [
                "ParleyAudio", "ParleyJSON", "ParleyModelFile", "ParleySpeech", "ParleySystem", "ParleyTensor",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // llama.cpp's libraries as the system has them; scripts/install-llama-cpp builds them.
        .systemLibrary(name: "CLlamaCppLibrary", pkgConfig: "mtmd"),
        // What Parley needs of llama.cpp, in C types of its own; empty without the trait.
        .target(
            name: "CParleyLlamaCpp",
            dependencies: [.target(name: "CLlamaCppLibrary", condition: .when(traits: ["LlamaCpp"]))],
            cSettings: [.define("PARLEY_LLAMA_CPP", .when(traits: ["LlamaCpp"]))]),
        // The seam over llama.cpp; without the trait only what counts its memory.
        .target(
            name: "ParleyLlamaCpp",
            dependencies: [
                .target(name: "CParleyLlamaCpp", condition: .when(traits: ["LlamaCpp"])), "ParleyFiles",
                "ParleyModelFile", "ParleyRuntime", "ParleySystem", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // What Parley needs of MLX, in C types; the library behind them is compiled by scripts/install-mlx.
        .target(name: "CParleyMLX", exclude: ["library"]),
        // The seam over MLX, which is opened at run time; empty without the trait.
        .target(
            name: "ParleyMLX",
            dependencies: [
                .target(name: "CParleyMLX", condition: .when(traits: ["MLX"])), "ParleyModelFile", "ParleyRuntime",
                "ParleySystem", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // What Parley needs of ExecuTorch, in C types; scripts/install-executorch compiles the library behind them.
        .target(name: "CParleyExecuTorch", exclude: ["library"]),
        // The seam over ExecuTorch, which is opened at run time; empty without the trait.
        .target(
            name: "ParleyExecuTorch",
            dependencies: [
                .target(name: "CParleyExecuTorch", condition: .when(traits: ["ExecuTorch"])), "ParleyModelFile",
                "ParleyRuntime", "ParleySystem", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // The seam over Core ML; empty elsewhere than on Apple's systems.
        .target(
            name: "ParleyCoreML",
            dependencies: ["ParleyModelFile", "ParleyRuntime", "ParleySystem", "ParleyTokenizer"],
            swiftSettings: settings),
        // A runner of conversations over LiteRT-LM, which is opened at run time; empty without the trait.
        .target(
            name: "ParleyLiteRTLM",
            dependencies: ["ParleyConversation", "ParleyJSON", "ParleyRuntime", "ParleySystem"],
            swiftSettings: settings),
        // The seam over ONNX Runtime, which is opened at run time; empty without the trait.
        .target(
            name: "ParleyONNX",
            dependencies: ["ParleyModelFile", "ParleyRuntime", "ParleySystem", "ParleyTokenizer"],
            swiftSettings: settings),
        // The model library on disk: catalog, download, verify.
        .target(
            name: "ParleyModels",
            dependencies: [
                "ParleyFiles", "ParleyHTTP", "ParleyModelFile", "ParleySampling", "ParleySystem",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // Models that lie in Python packages, fetched with the machine's Python; for programs, which may start others.
        .target(
            name: "ParleyPython",
            dependencies: [
                "ParleyModels", "ParleySystem", .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        // The SDK: messages, conversations, the seam for runners, functions, schemas; knows no engine.
        .target(
            name: "ParleyConversation",
            dependencies: [
                "ParleyJSON", "ParleySampling", "ParleySystem",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // The model of Apple Intelligence as a runner of conversations; elsewhere only what prepares its prompts.
        .target(name: "ParleyFoundationModels", dependencies: ["ParleyConversation"], swiftSettings: settings),
        // How each model family writes calls and reasoning: tags, spelling in prompts, grammar, parser.
        .target(
            name: "ParleyDialect",
            dependencies: [
                "ParleyConstraint", "ParleyConversation", "ParleyJSON",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // The form of OpenAI's chat completions, both ways: requests, answers, streams, errors and saved conversations. For
        // servers also the forms of texts and responses, and Anthropic's of messages.
        .target(name: "ParleyOpenAI", dependencies: ["ParleyConversation", "ParleyJSON"], swiftSettings: settings),
        // A model of an OpenAI-compatible server as a runner of conversations.
        .target(
            name: "ParleyRemote",
            dependencies: [
                "ParleyConversation", "ParleyFiles", "ParleyHTTP", "ParleyJSON", "ParleyOpenAI", "ParleySystem",
            ],
            swiftSettings: settings),
        // Turns a token-level model into a runner of conversations: prompts, constraints, timelines.
        .target(
            name: "ParleyLocal",
            dependencies: [
                "ParleyConstraint", "ParleyConversation", "ParleyDialect", "ParleyFiles", "ParleyJSON",
                "ParleyModelFile",
                "ParleyModels", "ParleyRuntime", "ParleySystem", "ParleyTemplate", "ParleyTokenizer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // What the compiler runs to expand `@Generatable`. The only target that needs swift-syntax; the command line must
        // not reach it, for it takes minutes to build.
        .macro(
            name: "ParleyMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        // Typed replies: Swift types as schemas, and replies as values of them, whole or in part.
        .target(
            name: "ParleyGeneratable",
            dependencies: [
                "ParleyConversation", "ParleyJSON", "ParleyMacros",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // The engines of this build, described for ParleyLocal, and the loading that chooses among them. Apart from the
        // umbrella, so that the command line does not reach swift-syntax.
        .target(
            name: "ParleyLocalEngines",
            dependencies: [
                "ParleyAudio", "ParleyConversation", "ParleyCoreML", "ParleyEngine",
                .target(name: "ParleyExecuTorch", condition: .when(traits: ["ExecuTorch"])),
                .target(name: "ParleyLiteRTLM", condition: .when(traits: ["LiteRTLM"])),
                .target(name: "ParleyLlamaCpp", condition: .when(traits: ["LlamaCpp"])), "ParleyLocal",
                .target(name: "ParleyMLX", condition: .when(traits: ["MLX"])), "ParleyModelFile", "ParleyModels",
                .target(name: "ParleyONNX", condition: .when(traits: ["ONNX"])), "ParleyRuntime", "ParleySpeech",
                "ParleyTensor", "ParleyWhisper",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // The options that both programs have, with their ranges, the errors of their commands, and what is said of wrong
        // usage.
        .target(
            name: "ParleyCommandLine",
            dependencies: [
                "ParleyLocal", "ParleyLocalEngines", "ParleyModels", "ParleyRuntime", "ParleySystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // Measures how fast models load, read and write in an engine, and servers reply; reports as values, JSON and charts.
        .target(
            name: "ParleyBenchmark",
            dependencies: [
                "ParleyConversation", "ParleyJSON", "ParleyLocal", "ParleyModelFile", "ParleyRuntime",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // The umbrella that apps import: the SDK, typed replies, local models and the engines, and `TokenModel` for models
        // of their own.
        .target(
            name: "Parley",
            dependencies: [
                "ParleyAudio", "ParleyConstraint", "ParleyConversation", "ParleyDialect", "ParleyGeneratable",
                "ParleyHTTP", "ParleyJSON", "ParleyLocal", "ParleyLocalEngines", "ParleyModelFile", "ParleyModels",
                "ParleyOpenAI", "ParleyRemote", "ParleyRuntime", "ParleySampling", "ParleySpeech", "ParleySystem",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // A client for the Model Context Protocol: the tools, resources and prompts of other programs.
        .target(
            name: "ParleyMCP",
            dependencies: ["ParleyConversation", "ParleyFiles", "ParleyHTTP", "ParleyJSON", "ParleySystem"],
            swiftSettings: settings),
        // What a chat that acts is made of: dates from words, free times, actions, confirmation, the log, histories. It
        // knows its stores only as protocols.
        .target(
            name: "ParleyAssistant",
            dependencies: [
                "ParleyCalendar", "ParleyConversation", "ParleyFiles", "ParleyJSON", "ParleyOpenAI", "ParleySystem",
            ],
            swiftSettings: settings),
        // The stores of the assistant: calendars, reminders, contacts, notes, habits, the web, documents, other tools,
        // speech as its input.
        .target(
            name: "ParleyActions",
            dependencies: [
                "ParleyAssistant", "ParleyCalendar", "ParleyConversation", "ParleyFiles", "ParleyHTTP", "ParleyJSON",
                "ParleyMCP", "ParleyMarkdown", "ParleySpeech", "ParleySystem", .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        // The server of OpenAI's API over runners that it is handed; knows no engine. Only it and its program need
        // Hummingbird and SwiftNIO, which take minutes to build: `parley` must not reach them.
        .target(
            name: "ParleyServer",
            dependencies: [
                "ParleyAudio", "ParleyConversation", "ParleyFiles", "ParleyHTTP", "ParleyJSON", "ParleyModels",
                "ParleyOpenAI", "ParleySpeech", "ParleySystem",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["TLS"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // The web chat: the page and what it asks of the server. The page's files are built in as literals.
        .target(
            name: "ParleyWeb",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyBenchmark", "ParleyConversation", "ParleyFiles",
                "ParleyHTTP",
                "ParleyJSON", "ParleyMarkdown", "ParleyModels", "ParleyOpenAI", "ParleyServer", "ParleySystem",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Page"], swiftSettings: settings, plugins: ["EmbedPage"]),
        .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["PageEmbedder"]),
        .executableTarget(name: "PageEmbedder", swiftSettings: settings),
        // The program `parley-server`, which `parley serve` hands over to.
        .executableTarget(
            name: "ParleyServerCLI",
            dependencies: [
                "ParleyCommandLine", "ParleyConversation", "ParleyEngine", "ParleyFiles", "ParleyHTTP", "ParleyJSON",
                "ParleyLocal",
                "ParleyLocalEngines",
                "ParleyModelFile", "ParleyModels", "ParleyPython", "ParleyRuntime", "ParleyServer", "ParleySpeech",
                "ParleySystem",
                "ParleyTensor", "ParleyWeb", "ParleyActions", "ParleyAssistant",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // Scripted models and tiny random models, with a GGUF writer, for tests of Parley and of apps built on it.
        .target(
            name: "ParleyTesting",
            dependencies: [
                "ParleyConversation", "ParleyDialect", "ParleyJSON", "ParleyModelFile", "ParleyOpenAI", "ParleyRuntime",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // The command line.
        .executableTarget(
            name: "ParleyCLI",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyAudio", "ParleyBenchmark", "ParleyCommandLine",
                "ParleyConstraint", "ParleyConversation", "ParleyEngine", "ParleyFiles", "ParleyHTTP",
                "ParleyJSON", "ParleyLocal", "ParleyLocalEngines", "ParleyMCP", "ParleyMarkdown", "ParleyModelFile",
                "ParleyModels", "ParleyOpenAI", "ParleyPython", "ParleyRemote",
                "ParleyRuntime", "ParleySampling", "ParleySpeech", "ParleySystem", "ParleyTemplate", "ParleyTensor",
                "ParleyTokenizer", "ParleyWhisper",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        // Three programs to copy from; they import Parley alone.
        .executableTarget(
            name: "ParleyChatExample", dependencies: ["Parley"], path: "Examples/Chat", swiftSettings: settings),
        .executableTarget(
            name: "ParleyWeatherExample", dependencies: ["Parley"], path: "Examples/Weather", swiftSettings: settings),
        .executableTarget(
            name: "ParleyExtractionExample", dependencies: ["Parley"], path: "Examples/Extraction",
            swiftSettings: settings),
        // An app in SwiftUI over the assistant; elsewhere a program that says that it needs an Apple system.
        .executableTarget(
            name: "ParleyAssistantApp",
            dependencies: ["Parley", "ParleyActions", "ParleyAssistant", "ParleyFoundationModels"],
            path: "Examples/AssistantApp", exclude: ["README.md"], swiftSettings: settings),
        // Counts the allocations of a test, or of a program into which it is loaded.
        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
        // What several test targets share: where the references are, limits, memory and time of a process, measurements,
        // headers of images.
        .target(
            name: "ParleyTestSupport", dependencies: ["CTestParallelism"], path: "Tests/ParleyTestSupport",
            swiftSettings: settings),
        // Limits how many tests run at the same time.
        .target(name: "CTestParallelism", path: "Tests/CTestParallelism"),
        // What must hold of every engine that computes logits from tokens, and what tests of engines share.
        .target(
            name: "ParleyEngineCases", dependencies: ["ParleyRuntime", "ParleyTestSupport", "ParleyTokenizer"],
            path: "Tests/ParleyEngineCases", swiftSettings: settings),
        // Random replies and calls with what must hold of them, for tests and for ParleyFuzz.
        .target(
            name: "ParleyReplyCases",
            dependencies: [
                "ParleyConstraint", "ParleyConversation", "ParleyDialect", "ParleyJSON", "ParleyRuntime",
                "ParleyTokenizer", .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            path: "Tests/ParleyReplyCases", swiftSettings: settings),
        // Random cases for everything that reads untrusted input; scripts/fuzz runs it.
        .executableTarget(
            name: "ParleyFuzz",
            dependencies: [
                "CAllocationCounter", "ParleyActions", "ParleyAssistant", "ParleyAudio", "ParleyCalendar",
                "ParleyConstraint",
                "ParleyConversation", "ParleyDialect", "ParleyEngine", "ParleyFiles", "ParleyHTTP", "ParleyJSON",
                "ParleyMCP", "ParleyMarkdown", "ParleyModelFile", "ParleyModels", "ParleyOpenAI",
                "ParleyReplyCases", "ParleyRuntime", "ParleyServer", "ParleySystem", "ParleyTemplate",
                "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer", "ParleyWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            path: "Tests/ParleyFuzz", swiftSettings: settings),
        // The web chat over scripted models; Tests/PageTests runs it.
        .executableTarget(
            name: "ParleyPageServer",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyConversation", "ParleyJSON", "ParleyModels", "ParleyServer",
                "ParleySystem", "ParleyTesting", "ParleyWeb",
            ],
            path: "Tests/ParleyPageServer", swiftSettings: settings),
        // The client of the Model Context Protocol against the reference SDK; scripts/check-mcp runs it.
        .executableTarget(
            name: "ParleyMCPCheck", dependencies: ["ParleyConversation", "ParleyHTTP", "ParleyJSON", "ParleyMCP"],
            path: "Tests/ParleyMCPCheck", swiftSettings: settings),
        .testTarget(
            name: "ParleyHTTPTests", dependencies: ["ParleyHTTP", "ParleyTestSupport", "ParleyTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyCalendarTests", dependencies: ["ParleyCalendar", "ParleyJSON"], exclude: ["Goldens"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyWebTests",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyAudio", "ParleyConversation", "ParleyFiles", "ParleyJSON",
                "ParleyModels", "ParleyOpenAI", "ParleyRuntime", "ParleyServer", "ParleySpeech", "ParleySystem",
                "ParleyTestSupport", "ParleyTesting", "ParleyWeb",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyMarkdownTests", dependencies: ["ParleyJSON", "ParleyMarkdown", "ParleyTestSupport"],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyFilesTests", dependencies: ["CParleySHA256", "ParleyFiles", "ParleyTestSupport"],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyActionsTests",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyAudio", "ParleyCalendar", "ParleyConversation",
                "ParleyFiles",
                "ParleyHTTP",
                "ParleyJSON", "ParleyMCP", "ParleyRuntime", "ParleySpeech", "ParleySystem", "ParleyTestSupport",
                "ParleyTesting",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyMCPTests",
            dependencies: [
                "ParleyConversation", "ParleyHTTP", "ParleyJSON", "ParleyMCP", "ParleySystem", "ParleyTestSupport",
            ],
            exclude: ["Servers/server.py"], swiftSettings: settings),
        .testTarget(name: "ParleyJSONTests", dependencies: ["ParleyJSON"], swiftSettings: settings),
        .testTarget(
            name: "ParleySystemTests", dependencies: ["ParleySystem", "ParleyTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ParleyAudioTests",
            dependencies: ["ParleyAudio", "ParleyRuntime", "ParleySystem", "ParleyTestSupport"],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleySpeechTests",
            dependencies: [
                "ParleyAudio", "ParleyJSON", "ParleyRuntime", "ParleySpeech", "ParleySystem", "ParleyTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyTensorTests",
            dependencies: [
                "CParleyKernels", "ParleyRuntime", "ParleySystem", "ParleyTensor", "ParleyTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyTokenizerTests",
            dependencies: ["ParleyModelFile", "ParleyRuntime", "ParleyTestSupport", "ParleyTokenizer"],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyTemplateTests",
            dependencies: [
                "CAllocationCounter", "ParleyJSON", "ParleyRuntime", "ParleyTemplate", "ParleyTestSupport",
                "ParleyTesting",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            exclude: ["Goldens"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyModelFileTests",
            dependencies: [
                "ParleyJSON", "ParleyModelFile", "ParleyRuntime", "ParleySampling", "ParleySystem", "ParleyTensor",
                "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(name: "ParleySamplingTests", dependencies: ["ParleySampling"], swiftSettings: settings),
        .testTarget(
            name: "ParleyRuntimeTests",
            dependencies: [
                "ParleyModelFile", "ParleyRuntime", "ParleySystem", "ParleyTestSupport", "ParleyTesting",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyNetworkTests",
            dependencies: ["ParleyModelFile", "ParleyNetwork", "ParleyTensor", "ParleyTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyWhisperTests",
            dependencies: [
                "ParleyAudio", "ParleyModelFile", "ParleyRuntime", "ParleySpeech", "ParleySystem", "ParleyTensor",
                "ParleyTestSupport", "ParleyTesting", "ParleyWhisper",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyEngineTests",
            dependencies: [
                "CAllocationCounter", "ParleyEngine", "ParleyEngineCases", "ParleyJSON", "ParleyModelFile",
                "ParleyRuntime", "ParleySystem", "ParleyTensor", "ParleyTestSupport", "ParleyTesting",
                "ParleyTokenizer",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyLlamaCppTests",
            dependencies: [
                "ParleyConversation", "ParleyEngine", "ParleyEngineCases", "ParleyLlamaCpp", "ParleyLocal",
                "ParleyLocalEngines",
                "ParleyModelFile", "ParleyModels", "ParleyRuntime", "ParleySystem", "ParleyTestSupport",
                "ParleyTesting",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyLiteRTLMTests",
            dependencies: [
                "ParleyConversation", "ParleyLiteRTLM", "ParleyLocal", "ParleyLocalEngines", "ParleyModels",
                "ParleyRuntime", "ParleySystem", "ParleyTestSupport", "ParleyTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyExecuTorchTests",
            dependencies: [
                "ParleyConversation", "ParleyEngine", "ParleyEngineCases", "ParleyExecuTorch", "ParleyLocal",
                "ParleyLocalEngines",
                "ParleyModelFile", "ParleyModels", "ParleyRuntime", "ParleySystem", "ParleyTestSupport",
                "ParleyTesting", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyMLXTests",
            dependencies: [
                "ParleyConversation", "ParleyEngine", "ParleyEngineCases", "ParleyLocal", "ParleyLocalEngines",
                "ParleyMLX",
                "ParleyModelFile", "ParleyModels", "ParleyRuntime", "ParleySystem", "ParleyTestSupport",
                "ParleyTesting", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyONNXTests",
            dependencies: [
                "ParleyConversation", "ParleyEngine", "ParleyEngineCases", "ParleyLocal", "ParleyLocalEngines",
                "ParleyModelFile",
                "ParleyModels", "ParleyONNX", "ParleyRuntime", "ParleySystem", "ParleyTestSupport", "ParleyTesting",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyConstraintTests",
            dependencies: [
                "ParleyConstraint", "ParleyJSON", "ParleyModelFile", "ParleyRuntime", "ParleyTestSupport",
                "ParleyTesting",
                "ParleyTokenizer",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyConversationTests",
            dependencies: [
                "ParleyConversation", "ParleyDialect", "ParleyJSON", "ParleyOpenAI", "ParleyReplyCases",
                "ParleyRuntime", "ParleyTestSupport", "ParleyTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyFoundationModelsTests",
            dependencies: ["ParleyConversation", "ParleyFoundationModels", "ParleyJSON"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyOpenAITests",
            dependencies: ["ParleyConversation", "ParleyJSON", "ParleyOpenAI", "ParleyRuntime", "ParleyTesting"],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyRemoteTests",
            dependencies: [
                "ParleyConversation", "ParleyHTTP", "ParleyJSON", "ParleyOpenAI", "ParleyRemote", "ParleyTestSupport",
                "ParleyTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyDialectTests",
            dependencies: [
                "ParleyConstraint", "ParleyConversation", "ParleyDialect", "ParleyJSON", "ParleyReplyCases",
                "ParleyRuntime", "ParleyTesting", .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyLocalTests",
            dependencies: [
                "ParleyAssistant", "ParleyCalendar", "ParleyConstraint", "ParleyConversation", "ParleyDialect",
                "ParleyEngine", "ParleyFiles", "ParleyHTTP", "ParleyJSON", "ParleyLocal", "ParleyLocalEngines",
                "ParleyMCP", "ParleyModelFile", "ParleyModels", "ParleyNetwork", "ParleyReplyCases", "ParleyRuntime",
                "ParleyTemplate", "ParleyTensor", "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyServerTests",
            dependencies: [
                "ParleyAudio", "ParleyConversation", "ParleyFiles", "ParleyHTTP", "ParleyJSON", "ParleyModels",
                "ParleyOpenAI",
                "ParleyRemote", "ParleyRuntime", "ParleyServer", "ParleySpeech", "ParleySystem",
                "ParleyTestSupport", "ParleyTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        .testTarget(
            name: "ParleyServerCLITests",
            dependencies: [
                "ParleyCommandLine", "ParleyHTTP", "ParleyLocal", "ParleyModels", "ParleySampling", "ParleyServer",
                "ParleyServerCLI", "ParleySystem", "ParleyTestSupport", "ParleyTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyTestingTests",
            dependencies: [
                "ParleyConversation", "ParleyModelFile", "ParleyRuntime", "ParleyTensor", "ParleyTesting",
                "ParleyTokenizer",
            ],
            swiftSettings: settings),
        // What the README, the articles and the comments show, compiled.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Parley", "ParleyAssistant", "ParleyCalendar", "ParleyConstraint", "ParleyConversation",
                "ParleyDialect", "ParleyEngine", "ParleyFoundationModels", "ParleyHTTP", "ParleyJSON",
                "ParleyModelFile", "ParleyOpenAI", "ParleyRemote", "ParleyRuntime", "ParleySampling", "ParleyTemplate",
                "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyAssistantTests",
            dependencies: [
                "ParleyAssistant", "ParleyCalendar", "ParleyConversation", "ParleyFiles", "ParleyJSON",
                "ParleyRuntime", "ParleyTestSupport", "ParleyTesting",
            ],
            exclude: ["Goldens"], swiftSettings: settings),
        // No test target depends on ParleyMacros itself: SwiftPM would then build every library a second time, as a tool.
        .testTarget(
            name: "ParleyGeneratableTests",
            dependencies: [
                "Parley", "ParleyConstraint", "ParleyConversation", "ParleyEngine", "ParleyGeneratable", "ParleyJSON",
                "ParleyLocal", "ParleyRuntime", "ParleyTestSupport", "ParleyTesting",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyModelsTests",
            dependencies: [
                "ParleyFiles", "ParleyHTTP", "ParleyModelFile", "ParleyModels", "ParleyRuntime", "ParleySampling",
                "ParleySystem", "ParleyTestSupport", "ParleyTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyPythonTests",
            dependencies: [
                "ParleyModelFile", "ParleyModels", "ParleyPython", "ParleySystem", "ParleyTestSupport",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyBenchmarkTests",
            dependencies: [
                "ParleyBenchmark", "ParleyConversation", "ParleyJSON", "ParleyLocal", "ParleyModelFile",
                "ParleyRuntime",
                "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyCLITests",
            dependencies: [
                "ParleyActions", "ParleyAssistant", "ParleyAudio", "ParleyBenchmark", "ParleyCLI", "ParleyCommandLine",
                "ParleyConversation", "ParleyEngine", "ParleyHTTP", "ParleyJSON", "ParleyLocal", "ParleyMarkdown",
                "ParleyModelFile", "ParleyModels", "ParleyRemote", "ParleyRuntime", "ParleySpeech", "ParleySystem",
                "ParleyTestSupport", "ParleyTesting", "ParleyTokenizer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
