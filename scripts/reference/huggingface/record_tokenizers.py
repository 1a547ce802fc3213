# SPDX-License-Identifier: Apache-2.0
"""Trains small vocabularies of every kind with PyPI's tokenizers (0.23.3), and records the ids of random texts.

    python3 -m venv VENV && VENV/bin/pip install tokenizers
    VENV/bin/python scripts/reference/huggingface/record_tokenizers.py Tests/ParleyModelFileTests/Goldens/tokenizers.json

Of the ids of a text only a digest is kept: 24 bits of FNV-1a over the ids as 32-bit numbers. --strings says how many.
"""
import argparse
import json
import random
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+")
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BYTES = [f"<0x{number:02X}>" for number in range(256)]
SIZE = 420


def isolated(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def byte_pairs(lines: list[str], splitter, normalizer=None, special=("<|end|>", "<|start|>"), **options) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer, tokenizer.decoder = splitter, decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def vocabularies(lines: list[str]) -> dict[str, Tokenizer]:
    level = pre_tokenizers.ByteLevel
    made = {
        "gpt-2": byte_pairs(lines, level(add_prefix_space=False)),
        "smollm": byte_pairs(lines, pre_tokenizers.Sequence([pre_tokenizers.Digits(True), level(add_prefix_space=False)])),
        "llama-3": byte_pairs(lines, isolated(LLAMA3), ignore_merges=True),
        "qwen-2": byte_pairs(lines, isolated(LLAMA3.replace("{1,3}", "")), normalizers.NFC()),
        "o200k": byte_pairs(lines, isolated(O200K)),
        "roberta": byte_pairs(lines, level(add_prefix_space=True)),
    }
    roberta = made["roberta"]
    roberta.add_tokens([AddedToken("<mask>", lstrip=True, special=True, normalized=False), AddedToken("word", single_word=True)])
    roberta.post_processor = processors.RobertaProcessing(("<|end|>", 0), ("<|start|>", 1))

    llama = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    llama.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    pieces = ["<unk>", "<s>", "</s>", *BYTES]
    llama.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=SIZE + 256, special_tokens=pieces[:3], show_progress=False))
    document = json.loads(llama.to_str())
    base = document["model"]["vocab"]
    for number, byte in enumerate(BYTES):
        base[byte] = len(base)
    made["llama-2"] = Tokenizer.from_str(json.dumps(document))
    made["llama-2"].decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])

    clip = Tokenizer(models.BPE(unk_token="<|end|>", end_of_word_suffix="</w>"))
    clip.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Replace(Regex(r"\s+"), " ")])
    clip.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"'s|'t|'re|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"), "removed", invert=True)])
    clip.decoder = decoders.BPEDecoder("</w>")
    clip.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=["<|end|>"], end_of_word_suffix="</w>", show_progress=False))
    made["clip"] = clip

    for name, normalizer, splitter in (
            ("unigram", normalizers.NFKC(), pre_tokenizers.Metaspace("▁", "always")),
            ("unigram-first", normalizers.NFKD(), pre_tokenizers.Metaspace("▁", "first", split=False))):
        unigram = Tokenizer(models.Unigram())
        unigram.normalizer, unigram.pre_tokenizer, unigram.decoder = normalizer, splitter, decoders.Metaspace()
        unigram.train_from_iterator(lines, trainers.UnigramTrainer(
            vocab_size=SIZE, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
        unigram.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
        made[name] = unigram

    for name, lowercase in (("bert-uncased", True), ("bert-cased", False)):
        bert = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        bert.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        bert.pre_tokenizer = pre_tokenizers.BertPreTokenizer() if lowercase else pre_tokenizers.Whitespace()
        bert.decoder = decoders.WordPiece()
        bert.train_from_iterator(lines, trainers.WordPieceTrainer(
            vocab_size=SIZE, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
        bert.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        made[name] = bert

    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.normalizer = normalizers.Strip()
    words.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("merged_with_previous"), pre_tokenizers.Digits(False),
        pre_tokenizers.CharDelimiterSplit("-"), pre_tokenizers.Split("e", "merged_with_next"),
        pre_tokenizers.Split("o", "contiguous")])
    words.train_from_iterator(lines, trainers.WordLevelTrainer(
        vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False))
    words.add_tokens([AddedToken("hello", rstrip=True), AddedToken("hell")])
    made["words"] = words
    return made


def strings(text: str, count: int) -> list[str]:
    draw = random.Random(17)
    special = [
        " ", "  ", "\n", "\r\n", "\t", "\n\n  ", "'s", "'LL", "12345", "٣٤٥", "½", "é", "e\u0301", "ﬁ", "Ａ", "ẞ", "İ", "Σ",
        "中文", "日本語", "한국어", "हिन्दी", "ไทย", "😀", "👨‍👩‍👧", "\u200d", "\u00a0", "\u3000", "\u2028", "\ufeff", "…", "¿", "$", "_",
        "<|end|>", "<|start|>", "<mask>", " <mask> ", "<s>", "</s>", "<unk>", "<pad>", "[MASK]", "[UNK]", "hello", "hell", "word",
        " word", "sword", "▁", "Ġ", "##a", "</w>", "<0x41>", "-", "—", "camelCase", "HTTPServer", "don't", "I'VE", "\u0000", "\ufffd",
        "x" * 120]
    made = ["", " ", "hello world", "Hello, World! It's 2026.", "a" * 300]
    while len(made) < count:
        parts = []
        for _ in range(draw.randint(1, 5)):
            if draw.random() < 0.55:
                start = draw.randrange(len(text))
                parts.append(text[start:start + draw.randint(1, 24)])
            else:
                parts.append(draw.choice(special))
        made.append("".join(parts))
    return made


def digest(ids: list[int]) -> str:
    value = 0x811C9DC5
    for number in ids:
        for byte in number.to_bytes(4, "little"):
            value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value & 0xFFFFFF:06x}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("--strings", type=int, default=2000)
    options = parser.parse_args()
    text = "\n".join(path.read_text() for path in sorted(CORPUS.glob("*.txt")))
    made = vocabularies(text.splitlines())
    texts = strings(text, options.strings)
    recorded = [
        {"name": name, "document": json.loads(tokenizer.to_str()),
         "digests": "".join(digest(tokenizer.encode(one, add_special_tokens=False).ids) for one in texts)}
        for name, tokenizer in made.items()]
    golden = {"tokenizers": tokenizers.__version__, "strings": texts, "vocabularies": recorded}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(len(texts), "texts,", len(made), "vocabularies")


main()
