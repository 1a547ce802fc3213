// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTesting
import Testing

struct GGUFFileDescriptionTests {
    @Test("a file's name, licence and quantisation are read")
    func describes() throws {
        var writer = GGUFWriter()
        writer.set("general.architecture", .string("llama"))
        writer.set("general.name", .string("Some Model"))
        writer.set("general.license", .string("apache-2.0"))
        writer.set("general.size_label", .string("135M"))
        writer.set("general.file_type", .uint32(15))
        let file = try writer.opened()
        #expect(try file.architecture == "llama")
        #expect(file.modelName == "Some Model")
        #expect(file.license == "apache-2.0")
        #expect(file.sizeLabel == "135M")
        #expect(file.quantization == "Q4_K_M")
    }

    @Test("a file without metadata has no name, and a file without architecture is not a model")
    func toleratesSilence() throws {
        let file = try GGUFWriter().opened()
        #expect(code { _ = try file.architecture } == .missingKey)
        #expect(file.modelName == nil)
        #expect(file.quantization == nil)
        #expect(file.chatTemplate == nil)
        #expect(file.samplingDefaults == SamplingDefaults())
    }

    @Test("the chat template and named ones are found")
    func findsTemplates() throws {
        var writer = GGUFWriter()
        writer.set("tokenizer.chat_template.tool_use", .string("tools"))
        writer.set("tokenizer.chat_template", .string("plain"))
        writer.set("tokenizer.chat_template.rag", .string("documents"))
        let file = try writer.opened()
        #expect(file.chatTemplate == "plain")
        #expect(file.chatTemplateNames == ["tool_use", "rag"])
        #expect(file.chatTemplate(named: "rag") == "documents")
        #expect(file.chatTemplate(named: "none") == nil)
    }

    @Test("valid sampling defaults are read")
    func readsSampling() throws {
        var writer = GGUFWriter()
        writer.set("general.sampling.temp", .float32(0.6))
        writer.set("general.sampling.top_k", .int32(20))
        writer.set("general.sampling.top_p", .float32(.nan))
        writer.set("general.sampling.penalty_last_n", .int32(64))
        let defaults = try writer.opened().samplingDefaults
        #expect(defaults == SamplingDefaults(temperature: 0.6, topK: 20, repetitionWindow: 64))
    }
}
