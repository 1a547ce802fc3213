#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the times of compiling and of masks with llguidance and XGrammar, on the same schemas, texts and vocabulary.

    pip install llguidance==1.9.1 numpy    # and the packages for bare_xgrammar.py
    scripts/reference/constraint/compare.py MEASURE MODEL.gguf

MEASURE is the built program of the folder measure. The texts are the valid instances of the goldens, written with a
space behind commas and colons and, for some, over several lines. Each text is walked token by token; before each token
the mask is computed. All times are of the thread's processor; XGrammar, which prepares masks when it compiles, is kept to one thread and starts without
its cache. All write their masks into memory that is there already.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bare_xgrammar import xgrammar
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

GOLDENS = Path(__file__).resolve().parents[3] / "Tests" / "ParleyConstraintTests" / "Goldens" / "schemas.json"


def ordered(value, schema, root):
    """The value with its members in the schema's order."""
    if not isinstance(schema, dict):
        return value
    reference = schema.get("$ref", "")
    if reference.startswith("#/"):
        schema = root
        for step in reference[2:].split("/"):
            schema = schema[step.replace("~1", "/").replace("~0", "~")]
    if isinstance(value, dict):
        declared = schema.get("properties", {})
        other = schema.get("additionalProperties", {})
        names = [name for name in declared if name in value] + [name for name in value if name not in declared]
        return {name: ordered(value[name], declared.get(name, other), root) for name in names}
    if isinstance(value, list):
        return [ordered(element, schema.get("items", {}), root) for element in value]
    return value


def workload() -> list[dict]:
    work = []
    for entry in json.loads(GOLDENS.read_text())["schemas"]:
        values = [ordered(case["value"], entry["schema"], entry["schema"]) for case in entry["instances"] if case["valid"]]
        texts = [json.dumps(value, ensure_ascii=False) for value in values]
        texts += [json.dumps(value, ensure_ascii=False, indent=2) for value in values[:2]]
        work.append({"name": entry["name"], "schema": entry["schema"], "texts": texts})
    return work


class Vocabulary:
    def __init__(self, dump: dict):
        self.tokens = [bytes.fromhex(text) or b"\xff" + f"[{index}]".encode() for index, text in enumerate(dump["vocabulary"])]
        self.special_token_ids = [index for index, text in enumerate(dump["vocabulary"]) if not text]
        self.eos_token_id = dump["end"]
        self.bos_token_id = None

    def __call__(self, text):
        return []


def time_llguidance(dump: dict, work: list[dict]) -> dict:
    start = time.thread_time()
    tokenizer = LLTokenizer(TokenizerWrapper(Vocabulary(dump)), slices=LLTokenizer.json_slices())
    tree = (time.thread_time() - start) * 1e6
    mask = np.zeros((len(dump["vocabulary"]) + 31) // 32, dtype=np.int32)
    results = []
    for entry, texts in zip(work, dump["texts"]):
        start = time.thread_time()
        matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(entry["schema"], defaults={"whitespace_flexible": True}))
        compiled = (time.thread_time() - start) * 1e6
        result = {"name": entry["name"], "compile": compiled, "masks": [], "steps": [], "error": matcher.get_error()}
        for text in texts:
            matcher.reset()
            for token in text:
                if matcher.is_error():
                    break
                start = time.thread_time()
                matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
                middle = time.thread_time()
                result["masks"].append((middle - start) * 1e6)
                # Forced bytes are masked as one token each, but other tokens that spell them are taken too.
                if not matcher.consume_token(token):
                    break
                result["steps"].append((time.thread_time() - middle) * 1e6)
        results.append(result)
    return {"tree": tree, "schemas": results}


def time_xgrammar(dump: dict, work: list[dict]) -> dict:
    tokens = [bytes.fromhex(text) for text in dump["vocabulary"]]
    start = time.thread_time()
    information = xgrammar.TokenizerInfo(tokens, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[dump["end"]])
    compiler = xgrammar.GrammarCompiler(information, max_threads=1, cache_enabled=False)
    tree = (time.thread_time() - start) * 1e6
    mask = np.zeros((1, (len(tokens) + 31) // 32), dtype=np.int32)
    results = []
    for entry, texts in zip(work, dump["texts"]):
        result = {"name": entry["name"], "compile": 0, "masks": [], "steps": [], "error": ""}
        results.append(result)
        start = time.thread_time()
        try:
            grammar = compiler.compile_json_schema(json.dumps(entry["schema"]), any_whitespace=True, strict_mode=False)
        except Exception as error:
            result["error"] = str(error)
            continue
        result["compile"] = (time.thread_time() - start) * 1e6
        for text in texts:
            matcher = xgrammar.GrammarMatcher(grammar)
            for token in text:
                start = time.thread_time()
                matcher.fill_next_token_bitmask(mask)
                middle = time.thread_time()
                result["masks"].append((middle - start) * 1e6)
                if not matcher.accept_token(token):
                    break
                result["steps"].append((time.thread_time() - middle) * 1e6)
    return {"tree": tree, "schemas": results}


def summary(name: str, result: dict) -> None:
    masks = np.array([value for entry in result["schemas"] for value in entry["masks"]])
    steps = np.array([value for entry in result["schemas"] for value in entry["steps"]])
    compiled = np.array([entry["compile"] for entry in result["schemas"]])
    wide = next((entry["compile"] for entry in result["schemas"] if entry["name"] == "wide-record"), 0)
    refused = [entry["name"] for entry in result["schemas"] if entry.get("error")]
    print(f"{name}: vocabulary {result['tree'] / 1000:.0f} ms; compile median {np.median(compiled):.0f} us, max {compiled.max():.0f} us,"
          f" 50 properties {wide:.0f} us; masks n={len(masks)} mean {masks.mean():.1f} median {np.median(masks):.1f}"
          f" p90 {np.percentile(masks, 90):.1f} p99 {np.percentile(masks, 99):.1f} max {masks.max():.0f} us;"
          f" step median {np.median(steps):.1f} us" + (f"; refused: {', '.join(refused)}" if refused else ""))


def main() -> None:
    measure, model = sys.argv[1:3]
    work = workload()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "work.json").write_text(json.dumps(work))
        # Once with all texts of a schema, as a server meets them; once with one text only, where nothing is known yet.
        for title, subset in [("all texts", work), ("first text only", [entry | {"texts": entry["texts"][:1]} for entry in work])]:
            (path / "work.json").write_text(json.dumps(subset))
            for command in ["dump", "time"]:
                subprocess.run([measure, command, model, path / "work.json", path / f"{command}.json"], check=True)
            print(f"{Path(model).name}, {title}")
            summary("  Parley    ", json.loads((path / "time.json").read_text()))
            dumped = json.loads((path / "dump.json").read_text())
            summary("  llguidance", time_llguidance(dumped, subset))
            summary("  XGrammar  ", time_xgrammar(dumped, subset))


if __name__ == "__main__":
    main()
