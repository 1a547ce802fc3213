// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TinyModel {
    /// Writes the model as a folder in the form of ONNX Runtime GenAI, with the same weights as its GGUF file.
    ///
    /// The model must be a `llama` with a vocabulary of byte pairs, whose matrices are F32 and whose head is its embedding.
    ///
    /// - Parameter directory: the folder, which is created.
    /// - Throws: errors from Foundation.
    package func writeONNXFolder(to directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        func write(_ value: JSONValue, _ name: String) throws {
            try Data(value.text().utf8).write(to: directory.appending(path: name))
        }
        try write(tokenizer.folderDocument, "tokenizer.json")
        try write(
            [
                "bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "unk_token": "<|endoftext|>",
                "chat_template": .string(TinyTokenizer.chatTemplate),
            ], "tokenizer_config.json")
        try write(
            [
                "model": [
                    "type": "llama", "vocab_size": .integer(tokenizer.tokens.count),
                    "context_length": .integer(context), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2,
                    "decoder": [
                        "filename": "model.onnx", "head_size": .integer(headDim), "hidden_size": .integer(width),
                        "num_attention_heads": .integer(heads), "num_hidden_layers": .integer(layers),
                        "num_key_value_heads": .integer(keyValueHeads),
                        "session_options": ["log_id": "tiny", "provider_options": []],
                        "inputs": [
                            "input_ids": "input_ids", "attention_mask": "attention_mask",
                            "past_key_names": "past_key_values.%d.key", "past_value_names": "past_key_values.%d.value",
                        ],
                        "outputs": [
                            "logits": "logits", "present_key_names": "present.%d.key",
                            "present_value_names": "present.%d.value",
                        ],
                    ],
                ],
                "search": ["max_length": .integer(context), "past_present_share_buffer": true],
            ], "genai_config.json")
        try Data(network.file).write(to: directory.appending(path: "model.onnx"))
    }

    /// The network: operations of ONNX, and attention as one of ONNX Runtime's own.
    private var network: ONNXGraph {
        var graph = ONNXGraph(name: "tiny")
        for tensor in writer().tensors {
            let values = tensor.bytes.withUnsafeBytes { bytes in
                (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
            }
            guard tensor.dimensions.count == 2, tensor.name != "token_embd.weight" else {
                graph.constant(tensor.name, tensor.dimensions.reversed(), values)
                continue
            }
            // A product of matrices wants the columns as rows.
            let (columns, rows) = (tensor.dimensions[0], tensor.dimensions[1])
            let turned = (0..<columns).flatMap { column in (0..<rows).map { values[$0 * columns + column] } }
            graph.constant(tensor.name, [columns, rows], turned)
        }
        let angles = (0..<context).flatMap { position in
            (0..<headDim / 2).map { Float(position) * pow(10_000, -2 * Float($0) / Float(headDim)) }
        }
        graph.constant("cosines", [context, headDim / 2], angles.map { cos($0) })
        graph.constant("sines", [context, headDim / 2], angles.map { sin($0) })
        graph.constant("one", [1], wholes: [1])
        graph.constant("second", [], wholes: [1])
        let (batch, length, total) = (ONNXGraph.Size.name("batch"), ONNXGraph.Size.name("length"), "total")
        graph.input("input_ids", isWhole: true, [batch, length])
        graph.input("attention_mask", isWhole: true, [batch, .name(total)])
        // How many positions there are before the last one, and in all.
        graph.node("ReduceSum", ["attention_mask", "one"], ["sum"], [("keepdims", .whole(0))])
        graph.node("Sub", ["sum", "one"], ["before"])
        graph.node("Cast", ["before"], ["before32"], [("to", .whole(6))])
        graph.node("Shape", ["attention_mask"], ["sizes"])
        graph.node("Gather", ["sizes", "second"], ["count"], [("axis", .whole(0))])
        graph.node("Cast", ["count"], ["count32"], [("to", .whole(6))])
        var hidden = graph.node("Gather", ["token_embd.weight", "input_ids"], ["embedded"])
        for layer in 0..<layers {
            hidden = append(layer, to: &graph, hidden)
            for part in ["key", "value"] {
                let sizes = [batch, .number(keyValueHeads)]
                graph.input("past_key_values.\(layer).\(part)", sizes + [.name("past"), .number(headDim)])
                graph.output("present.\(layer).\(part)", sizes + [.name(total), .number(headDim)])
            }
        }
        graph.node("Transpose", ["token_embd.weight"], ["head"], [("perm", .wholes([1, 0]))])
        graph.node("MatMul", [norm("output_norm", of: hidden, in: &graph), "head"], ["logits"])
        graph.output("logits", [batch, length, .number(tokenizer.tokens.count)])
        return graph
    }

    private func append(_ layer: Int, to graph: inout ONNXGraph, _ hidden: String) -> String {
        let prefix = "blk.\(layer)."
        func product(_ input: String, _ name: String) -> String {
            graph.node("MatMul", [input, prefix + name + ".weight"], [prefix + name])
        }
        let normed = norm(prefix + "attn_norm", of: hidden, in: &graph)
        let (query, key, value) = (product(normed, "attn_q"), product(normed, "attn_k"), product(normed, "attn_v"))
        graph.node(
            "GroupQueryAttention",
            [
                query, key, value, "past_key_values.\(layer).key", "past_key_values.\(layer).value", "before32",
                "count32", "cosines", "sines",
            ],
            [prefix + "mixed", "present.\(layer).key", "present.\(layer).value"], domain: "com.microsoft",
            [
                ("num_heads", .whole(heads)), ("kv_num_heads", .whole(keyValueHeads)),
                ("scale", .float(1 / Float(headDim).squareRoot())), ("do_rotary", .whole(1)),
                // As in GGUF files, a value of a head turns with its neighbour.
                ("rotary_interleaved", .whole(1)),
            ])
        let mixed = graph.node("Add", [hidden, product(prefix + "mixed", "attn_output")], [prefix + "attended"])
        let inner = norm(prefix + "ffn_norm", of: mixed, in: &graph)
        let (gate, up) = (product(inner, "ffn_gate"), product(inner, "ffn_up"))
        graph.node("Sigmoid", [gate], [prefix + "sigmoid"])
        graph.node("Mul", [gate, prefix + "sigmoid"], [prefix + "silu"])
        graph.node("Mul", [prefix + "silu", up], [prefix + "gated"])
        return graph.node("Add", [mixed, product(prefix + "gated", "ffn_down")], [prefix + "out"])
    }

    private func norm(_ name: String, of input: String, in graph: inout ONNXGraph) -> String {
        graph.node(
            "SimplifiedLayerNormalization", [input, name + ".weight"], [name],
            [("epsilon", .float(1e-5)), ("axis", .whole(-1)), ("stash_type", .whole(1))])
    }
}
