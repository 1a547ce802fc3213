#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records llama.cpp's token ids of many strings, for the tests of ParleyTokenizer; or compares `parley tokenize` with it.

    scripts/record-tokenizer-goldens.py                        writes Tests/ParleyTokenizerTests/Goldens
    scripts/record-tokenizer-goldens.py --compare PARLEY [N]   compares N strings (2000) for each vocabulary

The reference is llama.cpp in llama-cpp-python 0.3.36, called through its bindings: pip install
llama-cpp-python==0.3.36. The vocabularies come from $PARLEY_REFERENCES, else .build/references, which
scripts/fetch-references fills. A pre-tokenizer that none of them uses is tested by renaming the one in Llama 3's vocabulary.
"""

import base64
import ctypes
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import llama_cpp

VERSION = "0.3.36"
assert llama_cpp.__version__ == VERSION, f"need llama-cpp-python {VERSION}, found {llama_cpp.__version__}"

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCES = pathlib.Path(os.environ.get("PARLEY_REFERENCES", ROOT / ".build/references"))
GOLDENS = ROOT / "Tests/ParleyTokenizerTests/Goldens"
LLAMA3 = "vocabularies/ggml-vocab-llama-bpe.gguf"
RENAMED = [
    "default", "smollm", "deepseek-r1-qwen", "dbrx", "olmo", "tekken", "gpt-4o", "deepseek-v3", "minicpm5",
    "granite-embed-multi-97m", "poro-chat", "viking", "ufakzeka", "seed-coder", "laguna",
]  # fmt: skip

TEXTS = [
    "The quick brown fox jumps over the lazy dog. It's what we'd expect, isn't it? They'll say I'm wrong; THEY'RE not.",
    "Größe, Straße und Übermut: „Das ist schön“, sagte er. Ça va? L'été à l'hôtel. ¿Dónde está el niño? São Paulo.",
    "Zażółć gęślą jaźń. Příliš žluťoučký kůň. Tiếng Việt có nhiều dấu. İstanbul'da ığdır'ın. Съешь ещё булок, да выпей чаю.",
    "Η γρήγορη αλεπού. ქართული ენა Ქართ հայերեն አማርኛ ᏣᎳᎩ ꭰꭱ Ⰰⰱ 𐐀𐐨 𞤀𞤢 བོད་སྐད ភាសាខ្មែរ ສະບາຍດີ မြန်မာ",
    "敏捷的棕色狐狸跳过懒狗。今天天气很好，我们去公园吧！一二三。東京都は日本の首都です。ひらがなとカタカナ、漢字。안녕하세요 세계!",
    "สวัสดีชาวโลก नमस्ते दुनिया, यह हिन्दी है। বাংলা ভাষা। தமிழ் மொழி مرحبا بالعالم! שלום עולם! فارسی شیرین است. اردو زبان ہے۔",
    "😀😃🤣 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 👍🏽 ❤️‍🔥 ☕️ 🧑🏿‍💻 ①②③ ½ ¾ ² Ⅳ ⅷ 〇一 ٣٤٥ ४५६ ๑๒๓ 𝟘𝟙",
    'def f(x: int) -> str:\n    return f"{x!r:>{10}}"  # comment\n\n\nclass A(B):\n\tpass\n',
    '#include <stdio.h>\nint main(void) {\n    for (int i = 0; i < 10; ++i) { printf("%d\\n", i); }\n}\n',
    '{"key": [1, 2.5e-10, null], "a": "b\\u00e9"}\n<div class="x">&nbsp;</div>\r\nSELECT * FROM t WHERE a=\'b\' AND c<>1;',
    "3.14159265 1234567890 1,234,567.89 0x1F4A9 12 123 1234 12345 1e-9 007 10/12/2024 5% $12.50 €3 £4 192.168.0.1",
    "camelCase PascalCase snake_case HTTPServer iPhone ÄÖÜäöü ÄBC ÉCOLEécole ABCÄ aÄB ǅ ʰ ª º ﬀ Ａｂｃ １２３",
    "https://example.com/path?q=1&r=a%20b#frag user@mail.org C:\\Users\\x ~/x ../z $HOME `ls -la` && || ==> -> != ===",
    "'s 't 're 've 'm 'll 'd 'S 'T 'RE 'Ve 'lL 'D ''s 'sa x's X'S 5's 's's ' s 'é 'ſ don't DON'T",
    "a  b   c    d\t\te\t f \tg\n\nh\n \ni\r\nj\r\r\nk \r l\x0bm\x0cn\x85o\xa0p\u2003q\u3000r\u200bs\u2028t\ufeffu  \n  \n\t\n   v   ",
    "<s></s><unk><pad><bos><eos>[INST] hi [/INST] <|im_start|>user\nHi<|im_end|>\n<|endoftext|><|begin_of_text|><|eot_id|>",
    "<|start_header_id|>user<|end_header_id|>\n\n<start_of_turn>user\nx<end_of_turn>\n <|user|> \n hello <|end|>\n<0x0A>",
    "<|turn>user\n<turn|> <mask> <｜end▁of▁sentence｜> <|fim_prefix|>x<|fim_suffix|> <think>\n</think> <tool_call> <h1></h1>",
    "!!!!!! ???? .... ,,,, ;;;; ---- ____ ==== **** //// \\\\\\\\ ((())) [[[]]] {{{}}} '''' \"\"\"\" ```` ~~~~ ^^^^ ####",
    "……。。、、！？「」『』【】（）《》“”‘’—–·• ±×÷≈∞∑ €£¥ ©®™ ←→ ░▒▓",
    "e\u0301 a\u0308 \u0301x n\u0303o \u0915\u094d\u0937 \u0e01\u0e34 !\u0301 1\u0301 \u0301\u0301  \u0301 \u1e9b\u0323",
]  # fmt: skip
ALPHABETS = [
    " \n", "  \t\n\r", " \u3000\x0b\x85", "aAä ", "AäÄ's", "012 ,.", "'sStTrReEvVlLmMdD ", "!?. \n/", "一あ가 .", "\u0301a1 ",
    "$+<=>^~|`.a ", "\n▁ a", "AB1\u0301'll ", "1２３४½x ",
]  # fmt: skip
SPACES = " \n\r\t\x0b\x0c\x00\x01\x1c\x1f\x7f\x85\xa0\u1680\u2000\u2028\u202f\u205f\u3000\u180e\u200b\ufeff"
INVALID = [
    b"\xc0\x80", b"\xc1\x81x", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xff\xfe", b"a\xe2\x82",
    b"\xe2\x82 b", b"\xf0\x9f\x98", b"\x80",
]  # fmt: skip


def character(rng: random.Random) -> str:
    low, high = rng.choice(
        [(0x20, 0x7F), (0x20, 0x7F), (0x80, 0x600), (0x600, 0x3000), (0x3000, 0xD800), (0xE000, 0x10000),
         (0x10000, 0x32000), (0x1F300, 0x1F700)]
    )  # fmt: skip
    return rng.choice(SPACES) if rng.random() < 0.1 else chr(rng.randrange(low, high))


def strings(seed: int, count: int) -> list[bytes]:
    """At least `count` strings, the same for the same seed: all of TEXTS, parts and mixtures of them, random text."""
    rng = random.Random(seed)
    words = [word for text in TEXTS for word in re.findall(r"\s+|\w+|[^\w\s]+", text)]
    result = [text.encode() for text in TEXTS] + INVALID
    while len(result) < count:
        kind, text = rng.randrange(7), rng.choice(TEXTS)
        if kind == 0:
            start = rng.randrange(len(text))
            result.append(text[start : start + rng.randrange(1, 60)].encode())
        elif kind in (1, 2):
            result.append("".join(rng.choice(words) for _ in range(rng.randrange(1, 10))).encode())
        elif kind == 3:
            alphabet = rng.choice(ALPHABETS)
            result.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 30))).encode())
        elif kind == 4:
            result.append("".join(character(rng) for _ in range(rng.randrange(1, 20))).encode())
        elif kind == 5:
            result.append(bytes(rng.randrange(256) for _ in range(rng.randrange(1, 24))))
        else:
            damaged = bytearray(text.encode()[: rng.randrange(4, 60)])
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            result.append(bytes(damaged))
    # llama.cpp throws for code points beyond U+10FFFF.
    beyond = re.compile(rb"(\xf4[\x90-\xbf]|[\xf5-\xf7][\x80-\xbf])[\x80-\xbf]{2}")
    return [text for text in result if not beyond.search(text)]


def renamed(path: pathlib.Path, name: str, folder: str) -> pathlib.Path:
    """A copy of a vocabulary without tensors that names another pre-tokenizer."""
    data = path.read_bytes()
    key = b"tokenizer.ggml.pre" + struct.pack("<I", 8)
    start = data.index(key) + len(key)
    (length,) = struct.unpack_from("<Q", data, start)
    copy = pathlib.Path(folder) / f"{name}.gguf"
    copy.write_bytes(data[:start] + struct.pack("<Q", len(name)) + name.encode() + data[start + 8 + length :])
    return copy


class Reference:
    """llama.cpp's tokenizer of a file."""

    def __init__(self, path: pathlib.Path) -> None:
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
        assert self.model, f"llama.cpp cannot load {path}"
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)

    def __del__(self) -> None:
        llama_cpp.llama_model_free(self.model)

    def encode(self, text: bytes, special: bool) -> list[int]:
        ids = (ctypes.c_int32 * (4 * len(text) + 16))()
        count = llama_cpp.llama_tokenize(self.vocabulary, text, len(text), ids, len(ids), False, special)
        assert count >= 0
        return list(ids[:count])

    def end_of_generation(self) -> list[int]:
        size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        return [id for id in range(size) if llama_cpp.llama_vocab_is_eog(self.vocabulary, id)]

    def adds(self) -> list[bool]:
        return [function(self.vocabulary) for function in (llama_cpp.llama_vocab_get_add_bos, llama_cpp.llama_vocab_get_add_eos)]


def cases(folder: str):
    """Each vocabulary with a name for it, its path in the cache, the pre-tokenizer to assume, and the file to load."""
    for path in sorted(REFERENCES.glob("vocabularies/*.gguf")) + sorted(REFERENCES.glob("models/*.gguf")):
        if "bert" not in path.name:
            yield path.stem, str(path.relative_to(REFERENCES)), None, path
    for name in RENAMED:
        yield f"renamed-{name}", LLAMA3, name, renamed(REFERENCES / LLAMA3, name, folder)


def record() -> None:
    texts = strings(seed=1, count=300)
    GOLDENS.mkdir(exist_ok=True)
    for old in GOLDENS.glob("*.json"):
        old.unlink()
    encoded = [base64.b64encode(text).decode() for text in texts]
    header = {"reference": f"llama.cpp of llama-cpp-python {VERSION}", "recorder": "scripts/record-tokenizer-goldens.py"}
    (GOLDENS / "strings.json").write_text(json.dumps(header | {"base64": encoded}, separators=(",", ":")) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, pre_tokenizer, file in cases(folder):
            reference = Reference(file)
            plain = [reference.encode(text, False) for text in texts]
            parsed = [reference.encode(text, True) for text in texts]
            begins, ends = reference.adds()
            golden = {
                "vocabulary": path,
                "preTokenizer": pre_tokenizer,
                "addsBeginningOfText": begins,
                "addsEndOfText": ends,
                "endOfGeneration": reference.end_of_generation(),
                "asText": plain,
                # Only the ids that differ, by index.
                "parsed": {i: ids for i, ids in enumerate(parsed) if ids != plain[i]},
            }
            (GOLDENS / f"{name}.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
            print(name, sum(map(len, plain)), "ids")


def compare(parley: str, count: int) -> None:
    texts = strings(seed=2, count=count * 3 // 2)  # a quarter of them is no UTF-8
    valid = [text.decode() for text in texts if text.decode(errors="ignore").encode() == text][:count]
    invalid = [text for text in texts if text.decode(errors="ignore").encode() != text][:20]

    def tokenize(*arguments: str) -> list:
        return json.loads(subprocess.run([parley, "tokenize", *arguments], check=True, capture_output=True).stdout)

    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        batch = pathlib.Path(folder) / "batch.json"
        batch.write_text(json.dumps(valid))
        single = pathlib.Path(folder) / "bytes"
        for name, _, _, file in cases(folder):
            reference = Reference(file)
            differences = 0
            for special in (False, True):
                option = ["--special"] if special else []
                ours = tokenize(str(file), "--batch", str(batch), *option)
                theirs = [reference.encode(text.encode(), special) for text in valid]
                differences += sum(a != b for a, b in zip(ours, theirs, strict=True))
            for text in invalid:
                single.write_bytes(text)
                differences += tokenize(str(file), "--file", str(single)) != reference.encode(text, False)
            differing += differences
            print(f"{name}: {len(valid)} strings as text and parsed, {len(invalid)} of bytes: {differences} differ")
    sys.exit(differing > 0)


@llama_cpp.llama_log_callback
def silence(level, text, data) -> None:
    pass


llama_cpp.llama_log_set(silence, ctypes.c_void_p())
if len(sys.argv) > 2 and sys.argv[1] == "--compare":
    compare(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2000)
else:
    record()
