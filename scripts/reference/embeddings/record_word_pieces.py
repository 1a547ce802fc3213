#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the tokens that the reference implementation of BERT's tokenizer makes, for WordPieceTests.

    pip install tokenizers==0.23.3
    scripts/reference/embeddings/record_word_pieces.py                 writes Tests/…/Goldens/WordPieces/ids.json
    scripts/reference/embeddings/record_word_pieces.py --compare PARLEY MODEL.gguf VOCAB.txt [N]

The vocabulary of the recording is made up here: the characters of the texts and frequent parts of their words. The
second form compares `parley tokenize` of a real model with the reference over its vocabulary, on N random texts.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tokenizers
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

VERSION = "0.23.3"
assert tokenizers.__version__ == VERSION, f"need tokenizers {VERSION}"
ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "Tests/ParleyTokenizerTests/Goldens/WordPieces/ids.json"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

TEXTS = [
    "The quick brown fox jumps over the lazy dog. It's what we'd expect, isn't it? Unbelievably embeddable!",
    "Größe, Straße und Übermut: „Das ist schön“, sagte er. Ça va? L'été à l'hôtel. ¿Dónde está el niño? São Paulo.",
    "Zażółć gęślą jaźń. Příliš žluťoučký kůň. Tiếng Việt có nhiều dấu. İstanbul'da ığdır'ın. Съешь ещё булок, ЙОД.",
    "Η γρήγορη αλεπού ΣΊΣΥΦΟΣ. ქართული ენა Ქართ հայերեն አማርኛ ᏣᎳᎩ ꭰꭱ Ⰰⰱ 𐐀𐐨 𞤀𞤢 བོད་སྐད ភាសាខ្មែរ ສະບາຍດີ မြန်မာ",
    "敏捷的棕色狐狸跳过懒狗。今天天气很好，我们去公园吧！東京都は日本の首都です。ひらがなとカタカナ、漢字。ガギグ 안녕하세요 세계!",
    "สวัสดีชาวโลก नमस्ते दुनिया, यह हिन्दी है। বাংলা ভাষা কো। தமிழ் மொழி مرحبا بالعالم! שָׁלוֹם עולם! فارسی شیرین. اردو ہے۔",
    "😀😃🤣 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 👍🏽 ❤️‍🔥 ①②③ ½ ¾ ² Ⅳ ⅷ ٣٤٥ ४५६ 𝟘𝟙 ﬀ Ａｂｃ １２３ ㎏ ﷺ 豈 丽 ǅ ʰ ª º",
    "3.14159265 1,234,567.89 0x1F4A9 snake_case camelCase C:\\Users\\x https://example.com/p?q=1&r=a%20b#f a@b.org <=>^`|~",
    "a  b\t\tc\n\nd\r\ne\x0bf\x0cg\x85h\xa0i\u2003j\u3000k\u200bl\u2028m\ufeffn\x00o\ufffdp\u00adq\u0301r\ue000s\u180et",
    "[CLS] hello [SEP] [UNK] [MASK] ##ing ## # ▁hello x▁hello ▁ ▁▁ hello▁ [unused1] $100 +5 don't co-operate",
    "e\u0301 a\u0308 \u0301x n\u0303o \u0915\u094d\u0937 \u0e01\u0e34 !\u0301 1\u0301 \u1e9b\u0323 \u037e \u1fef \u2126 \u212b \u0344 \u0958",
    "x" * 99 + " " + "x" * 100 + " " + "x" * 101 + " " + "é" * 100 + " " + "가" * 40 + " " + "🙂" * 100 + "end",
    "", " ", "\t", "\u0301", "\x00\x01", "…", "ß", "İ", "ΣΑΣ",
]  # fmt: skip


def reference(vocabulary: list[str]) -> Tokenizer:
    numbers = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def random_text(rng: random.Random) -> str:
    ranges = [(0x20, 0x7F), (0x20, 0x7F), (0x80, 0x600), (0x600, 0x1200), (0x1E00, 0x2100), (0x2000, 0x3400),
              (0xA000, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000), (0x1F300, 0x1F700), (0x2F800, 0x2FA20)]  # fmt: skip
    return "".join(chr(rng.randrange(*rng.choice(ranges))) if rng.random() > 0.2 else " " for _ in range(40))


def words(text: str) -> list[str]:
    tokenizer = reference(SPECIAL)
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]


def record() -> None:
    rng = random.Random(1)
    texts = TEXTS + [random_text(rng) for _ in range(60)]
    parts: collections.Counter = collections.Counter()
    for text in texts:
        for word in words(text):
            if rng.random() < 0.9:
                parts[word[0]] += 1
            for letter in word[1:]:
                parts["##" + letter] += 1
            for _ in range(3):
                start, end = sorted(rng.sample(range(len(word) + 1), 2))
                if end - start < 12:
                    parts[("##" if start else "") + word[start:end]] += 1
    vocabulary = SPECIAL + sorted(parts)
    tokenizer = reference(vocabulary)
    ids = [tokenizer.encode(text).ids for text in texts]
    golden = {"tokenizers": VERSION, "vocabulary": vocabulary, "texts": texts, "ids": ids}
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(json.dumps(golden, ensure_ascii=True, separators=(",", ":")) + "\n")
    unknown = sum(row.count(1) for row in ids)
    print(f"{len(texts)} texts, {len(vocabulary)} tokens, {sum(map(len, ids))} ids, {unknown} of them unknown")


def compare(parley: str, model: str, vocabulary: str, count: int) -> None:
    tokenizer = reference(pathlib.Path(vocabulary).read_text().split("\n")[:-1])
    rng = random.Random(2)
    texts = [text for text in TEXTS if "\x00" not in text] + [random_text(rng) for _ in range(count)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        command = [parley, "tokenize", model, "--batch", file.name]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    wrong = sum(ids != tokenizer.encode(text).ids for ids, text in zip(found, texts, strict=True))
    print(f"{wrong} texts differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        compare(*sys.argv[2:5], int(sys.argv[5]) if len(sys.argv) > 5 else 50)
    else:
        record()
