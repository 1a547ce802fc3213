#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Parley's Whisper with whisper.cpp and faster-whisper: same weights, same files, same threads, one run.

    Benchmarks/speech.py MODEL_FOLDER [--rounds 3] [--threads 2] [--whisper-cpp FOLDER] [--recordings FOLDER]
        [--parley PROGRAM] [--out RESULTS.json] [--isa avx2] [--silence] [--divergence [N]]

MODEL_FOLDER is a Whisper model in CTranslate2's form (model.bin, config.json, tokenizer.json, vocabulary.txt), which
faster-whisper runs in int8; whisper.cpp gets ggml-f16.bin of the same weights from the folder given, and what its quantiser
makes of that (ggml-q8_0.bin, ggml-q5_0.bin), and the fastest of them counts. All decode greedily, with time stamps, in the
language that is spoken. The recordings are those of Benchmarks/recordings.py; a model for English alone (`.en`) gets those in
English.

The folder of whisper.cpp holds the three files and whisper-cli, built for this processor with clang (GCC 12 makes a program
that dies on machines with AMX). Run it with a Python that has faster-whisper and whisper-normalizer, whose form of Whisper's own
normalisers all texts get before words are counted. In each round each runs once, in turns. The
ratio is the median of the rounds' ratios, above 1 where Parley is faster; times leave out the loading of the model. Behind
the words that are wrong stands how far the rate would be elsewhere (one standard error, from drawing the recordings anew):
a difference within that says nothing.

--isa avx2 keeps all of them to that instruction set; whisper.cpp then needs a whisper-cli-avx2, built for it
(-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON).

--silence adds faster-whisper with silence in the window behind the sound, as OpenAI defines it. By itself it puts zeros into the
spectrum there, which are a soft noise.

--divergence asks another question instead: how far the probabilities are from those of the exact model (weights in floats,
the whole window), along the tokens that faster-whisper itself writes for each recording, or each Nth; and in how many
recordings thinned silence and the whole window give the same words. It takes no times, so other programs may run.

Other programs distort the figures: the load of the machine is printed before each turn.
"""
import argparse, collections, json, os, pathlib, random, re, statistics, subprocess, sys, tempfile, time

import needs

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENGTHS = {"short": (0, 8), "ten": (8, 20), "long": (60, 1e9)}
NAMES = {"short": "utterances below 8 s", "ten": "an utterance of 11 s", "long": "a talk of 2 min"}
PACKAGES = "python3 -m pip install faster-whisper whisper-normalizer installs it."
PROGRAMS = "The text at the head of Benchmarks/speech.py says where programs come from."
normalizers = ()


def words(text, language):
    """The words of a text for counting, as OpenAI's normaliser for English and the one for other languages have them; accents
    are left out, since some of the known texts lack them."""
    global normalizers
    if not normalizers:
        from whisper_normalizer.basic import BasicTextNormalizer
        from whisper_normalizer.english import EnglishTextNormalizer
        normalizers = EnglishTextNormalizer(), BasicTextNormalizer(remove_diacritics=True)
    return normalizers[language != "en"](text).split()


def recordings(folder):
    """What Benchmarks/recordings.py says of the recordings in a folder."""
    if not (folder / "list.json").exists():
        sys.exit(f"There are no recordings in {folder}. Benchmarks/recordings.py gathers them.")
    return json.loads((folder / "list.json").read_text())


def distance(a, b):
    """How many words have to be put in, taken out or changed."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]


def measured(command, **options):
    """Runs a program; what it printed, and the most memory it held in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        output, errors = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if process.returncode:
        sys.exit(f"{command[0]} failed:\n{errors[-2000:]}")
    return output, errors, usage.ru_maxrss * 1024


class Parley:
    name = "parley"

    def __init__(self, options):
        self.options = options

    def check(self):
        """Ends the script where something is missing, before it works for long."""
        needs.program(self.options.parley)

    def run(self, files, language):
        command = [self.options.parley, "transcribe", "--model", self.options.model, "--language", language, "--threads",
                   str(self.options.threads), "--json", *(["--isa", self.options.isa] if self.options.isa else []), *files]
        output, _, memory = measured(command)
        results = [json.loads(line) for line in output.splitlines()]
        times = [one["stats"]["encoding_seconds"] + one["stats"]["decoding_seconds"] for one in results]
        return [one["text"] for one in results], times, memory


class WhisperCpp:
    def __init__(self, options, weights):
        self.options, self.weights, self.name = options, weights, f"whisper.cpp {weights}"
        self.program = f"{options.whisper_cpp}/whisper-cli" + (f"-{options.isa}" if options.isa else "")
        self.model = f"{options.whisper_cpp}/ggml-{weights}.bin"

    def check(self):
        needs.program(self.program, PROGRAMS)
        if not pathlib.Path(self.model).exists():
            sys.exit(f"There is no file {self.model}. {PROGRAMS}")

    def run(self, files, language):
        texts, times, most = [], [], 0
        for file in files:
            # Its times are of a whole run; a run for each file tells them apart.
            command = [self.program, "-m", self.model, "-t", str(self.options.threads), "-l", language, "-bs", "1", "-bo", "1",
                       "-f", file]
            output, errors, memory = measured(command)
            texts.append(" ".join(re.findall(r"^\[.*?\]\s*(.*)$", output, re.M)))
            figures = dict(re.findall(r"(\w+) time =\s*([\d.]+) ms", errors))
            times.append((float(figures["total"]) - float(figures["load"])) / 1000)
            most = max(most, memory)
        return texts, times, most


class FasterWhisper:
    def __init__(self, options, padding="zeros"):
        self.options, self.padding = options, padding
        self.name = "faster-whisper int8" + (", silence behind" if padding == "silence" else "")

    def check(self):
        needs.package("faster_whisper", PACKAGES)

    def run(self, files, language):
        command = [sys.executable, __file__, "--child", self.options.model, str(self.options.threads), self.padding, language, *files]
        environment = dict(os.environ, OMP_NUM_THREADS=str(self.options.threads))
        if self.options.isa:
            name = self.options.isa.upper()
            environment |= {"CT2_FORCE_CPU_ISA": name, "DNNL_MAX_CPU_ISA": name, "MKL_ENABLE_INSTRUCTIONS": name}
        output, _, memory = measured(command, env=environment)
        results = json.loads(output)
        return [one[0] for one in results], [one[1] for one in results], memory


def child(model, threads, padding, language, *files):
    import faster_whisper.transcribe
    import numpy
    from faster_whisper import WhisperModel

    trim = faster_whisper.transcribe.pad_or_trim

    def silent(array, length=3000):
        """Fills the window up with the least of its values, which is what silence has."""
        missing = max(0, length - array.shape[-1])
        return trim(numpy.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)], constant_values=float(array.min())), length)

    if padding == "silence":
        faster_whisper.transcribe.pad_or_trim = silent
    whisper = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=int(threads))
    results = []
    for file in files:
        start = time.perf_counter()
        segments, _ = whisper.transcribe(file, language=language, beam_size=1, best_of=1)
        text = "".join(segment.text for segment in segments)
        results.append((text, time.perf_counter() - start))
    print(json.dumps(results))


def forced(options, files, languages):
    """What faster-whisper's model writes for each file, greedily and without time stamps, with its beginning, and the
    logarithms of the probabilities after each of its tokens but the last."""
    import ctranslate2
    import numpy
    from faster_whisper import WhisperModel, decode_audio
    from faster_whisper.audio import pad_or_trim

    whisper = WhisperModel(options.model, device="cpu", compute_type="int8", cpu_threads=options.threads)
    results = []
    for file, language in zip(files, languages, strict=True):
        mel = pad_or_trim(whisper.feature_extractor(decode_audio(file))[..., :3000])
        number = whisper.hf_tokenizer.token_to_id
        task = () if is_english(options.model) else (language, "transcribe")
        prompt = [number(f"<|{one}|>") for one in ("startoftranscript", *task, "notimestamps")]
        states = ctranslate2.StorageView.from_array(numpy.ascontiguousarray(mel[None]))
        result = whisper.model.generate(
            states, [prompt], beam_size=1, max_length=200, suppress_blank=False, suppress_tokens=[], return_logits_vocab=True)[0]
        rows = logarithms(numpy.array([numpy.array(one, dtype=numpy.float32).ravel() for one in result.logits[0]]))
        count = min(len(rows), len(result.sequences_ids[0]) + 1)
        results.append((prompt + result.sequences_ids[0][:count - 1], rows[:count]))
    return results


def is_english(model):
    """Whether a model knows English alone, by the size of its vocabulary."""
    folder = pathlib.Path(model)
    if (folder / "vocabulary.json").exists():
        return len(json.loads((folder / "vocabulary.json").read_text())) < 51_865
    return len((folder / "vocabulary.txt").read_text(encoding="utf-8", errors="replace").rstrip("\n").split("\n")) < 51_865


def logarithms(logits):
    """The logarithms of the probabilities in each row."""
    import numpy

    shifted = logits.astype(numpy.float64) - logits.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def logits_of(options, jobs, *flags):
    """The logarithms of Parley's probabilities after the tokens of each file, from the last of the beginning on."""
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({"file": file, "tokens": tokens, "logits": f"{folder}/{index}"}) for index, (file, tokens) in enumerate(jobs)]
        command = [options.parley, "speech-logits", options.model, "--threads", str(options.threads), *flags]
        subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=True)
        first = 1 if is_english(options.model) else 3
        return [logarithms(numpy.fromfile(f"{folder}/{index}", numpy.float32).reshape(len(tokens), -1)[first:])
                for index, (_, tokens) in enumerate(jobs)]


def divergence(options, folder, items):
    """Prints the divergence from the exact model and the words that thinned silence changes."""
    import numpy

    items = [one for one in items if one["seconds"] < 29][::options.divergence]
    files = [str(folder / one["file"]) for one in items]
    theirs = forced(options, files, [one["language"] for one in items])
    jobs = [(file, tokens) for file, (tokens, _) in zip(files, theirs, strict=True)]
    exact = logits_of(options, jobs, "--exact", "--full-window")
    forms = {"faster-whisper int8": [rows for _, rows in theirs], "parley": logits_of(options, jobs),
             "parley, the whole window": logits_of(options, jobs, "--full-window"), "parley, exact weights": logits_of(options, jobs, "--exact")}
    parts = {"all": items, "recordings": [one for one in items if one["kind"] in ("recording", "prompt")],
             "English sentences": [one for one in items if one["kind"] == "sentence" and one["language"] == "en"]}
    print("| divergence from the exact model | " + " | ".join(parts) + " | 90 % below | same first choice | tokens |\n|---" + "|--:" * (len(parts) + 3) + "|")
    figures = {}
    for name, rows in forms.items():
        each = [(numpy.exp(p) * (p - q)).sum(-1) for p, q in zip(exact, rows, strict=True)]
        values = numpy.concatenate(each)
        same = numpy.concatenate([p.argmax(-1) == q.argmax(-1) for p, q in zip(exact, rows, strict=True)]).mean()
        means = {part: float(numpy.concatenate([one for one, item in zip(each, items) if item in members]).mean())
                 for part, members in parts.items() if members}
        figures[name] = means
        print(f"| {name} | " + " | ".join(f"{means.get(part, float('nan')):.5f}" for part in parts)
              + f" | {numpy.quantile(values, 0.9):.5f} | {100 * same:.1f} % | {len(values)} |")

    texts = collections.defaultdict(dict)
    for flags in ([], ["--full-window"]):
        for language in sorted({one["language"] for one in items}):
            part = [one for one in items if one["language"] == language]
            command = [options.parley, "transcribe", "--model", options.model, "--language", language, "--threads",
                       str(options.threads), "--json", *flags, *[str(folder / one["file"]) for one in part]]
            for item, line in zip(part, measured(command)[0].splitlines(), strict=True):
                texts[item["file"]][bool(flags)] = words(json.loads(line)["text"], language)
    # Which words the model itself gets wrong: thinned silence beside the whole window, as OpenAI defines it.
    parts |= {f"{kind}, {language}": [one for one in items if one["kind"] in kinds and one["language"] == language]
              for kind, kinds in (("machine's voice", ["sentence"]), ("people", ["prompt"]))
              for language in ("en", "de", "fr", "es", "it")}
    print("\n| | thinned and whole give the same words | words wrong, thinned | words wrong, whole |\n|---|--:|--:|--:|")
    for part, members in parts.items():
        if part in ("all", "English sentences") or not members:
            continue
        known = [words(one["text"], one["language"]) for one in members]
        wrong = [100 * sum(distance(right, texts[one["file"]][full]) for right, one in zip(known, members)) / max(1, sum(map(len, known)))
                 for full in (False, True)]
        differing = [one["file"] for one in members if texts[one["file"]][False] != texts[one["file"]][True]]
        print(f"| {part} | {len(members) - len(differing)} of {len(members)} | {wrong[0]:.1f} % | {wrong[1]:.1f} % |")
        if differing:
            print(f"others in {part}: {', '.join(differing)}", file=sys.stderr)
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(figures, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--whisper-cpp", default=str(ROOT / ".build" / "references" / "whisper.cpp"))
    parser.add_argument("--recordings", default=str(ROOT / ".build" / "references" / "speech"))
    parser.add_argument("--parley", default=str(ROOT / ".build" / "release" / "parley"))
    parser.add_argument("--isa", choices=["avx2"], help="keep all programs to this instruction set")
    parser.add_argument("--silence", action="store_true", help="add faster-whisper with silence behind the sound")
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--divergence", type=int, nargs="?", const=1, help="compare probabilities instead, on each Nth recording")
    parser.add_argument("--out", help="write the figures to this file")
    options = parser.parse_args()
    padded = [FasterWhisper(options, "silence")] if options.silence else []
    programs = [Parley(options), FasterWhisper(options), *padded, *[WhisperCpp(options, one) for one in ("f16", "q8_0", "q5_0")]]
    programs = [one for one in programs if not options.only or any(one.name.startswith(p) for p in options.only.split(","))]
    for program in [Parley(options), FasterWhisper(options)] if options.divergence else programs:
        program.check()
    with needs.packages(PACKAGES):
        words("", "en")
    folder = pathlib.Path(options.recordings)
    items = [one for one in recordings(folder) if one["kind"] != "nobody"]
    if is_english(options.model):
        items = [one for one in items if one["language"] == "en"]
    if options.divergence:
        return divergence(options, folder, items)

    seconds = collections.defaultdict(list)  # (program, length) -> a sum for each round
    texts, memory = {}, collections.defaultdict(int)
    for turn in range(options.rounds):
        for program in programs if turn % 2 == 0 else programs[::-1]:
            print(f"round {turn + 1}, {program.name}; load {os.getloadavg()[0]:.2f}", file=sys.stderr)
            sums = collections.Counter()
            for language in sorted({one["language"] for one in items}):
                part = [one for one in items if one["language"] == language]
                said, times, most = program.run([str(folder / one["file"]) for one in part], language)
                memory[program.name] = max(memory[program.name], most)
                for item, text, taken in zip(part, said, times, strict=True):
                    texts[program.name, item["file"]] = text
                    for length, (least, limit) in LENGTHS.items():
                        if least <= item["seconds"] < limit and item["kind"] != "prompt":
                            sums[length] += taken
            for length in LENGTHS:
                seconds[program.name, length].append(sums[length])

    def rate(name, language, kinds):
        """The words that are wrong in %, and the standard error of that by drawing the recordings anew."""
        part = [one for one in items if one["language"] == language and one["kind"] in kinds]
        known = [words(one["text"], language) for one in part]
        each = [(distance(right, words(texts[name, one["file"]], language)), len(right)) for right, one in zip(known, part)]

        def of(pairs):
            return 100 * sum(wrong for wrong, _ in pairs) / max(1, sum(count for _, count in pairs))

        draws = random.Random(7)
        spread = [of(draws.choices(each, k=len(each))) for _ in range(1_000)] if len(each) > 1 else [0.0, 0.0]
        return of(each), statistics.stdev(spread)

    print(f"{options.threads} threads, {options.rounds} rounds, medians\n")
    print("| | " + " | ".join(f"{NAMES[length]}, s" for length in LENGTHS) + " | peak MiB |\n|---" + "|--:" * (len(LENGTHS) + 1) + "|")
    for program in programs:
        row = [statistics.median(seconds[program.name, length]) for length in LENGTHS]
        print(f"| {program.name} | " + " | ".join(f"{one:.2f}" for one in row) + f" | {memory[program.name] >> 20} |")
    ratios = {}
    if any(one.name == "parley" for one in programs):
        print("\n| peer's time ÷ ours | " + " | ".join(NAMES[length] for length in LENGTHS) + " |\n|---" + "|--:" * len(LENGTHS) + "|")
        for program in programs:
            if program.name == "parley":
                continue
            row = [statistics.median(theirs / ours for theirs, ours in zip(seconds[program.name, length], seconds["parley", length]))
                   for length in LENGTHS]
            ratios[program.name] = dict(zip(LENGTHS, row))
            print(f"| {program.name} | " + " | ".join(f"{one:.2f}" for one in row) + " |")
    kinds = [("en", ["recording"], "recordings"), ("en", ["sentence"], "en"), ("en", ["long"], "talk"),
             *[(one, ["sentence"], one) for one in ("de", "fr", "es", "it")],
             *[(one, ["prompt"], f"{one}, spoken") for one in ("en", "fr", "es", "it")]]
    kinds = [one for one in kinds if any(item["language"] == one[0] and item["kind"] in one[1] for item in items)]
    print("\n| words wrong in % | " + " | ".join(label for _, _, label in kinds) + " |\n|---" + "|--:" * len(kinds) + "|")
    rates = {}
    for program in programs:
        found = {label: rate(program.name, language, of) for language, of, label in kinds}
        rates[program.name] = {label: one for label, (one, _) in found.items()}
        print(f"| {program.name} | " + " | ".join(f"{one:.1f} ± {error:.1f}" if error else f"{one:.1f}" for one, error in found.values()) + " |")
    if options.out:
        figures = {"seconds": {f"{a} {b}": v for (a, b), v in seconds.items()}, "ratios": ratios, "words_wrong": rates,
                   "memory": memory, "texts": {f"{a} {b}": v for (a, b), v in texts.items()}}
        pathlib.Path(options.out).write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1:2] == ["--child"] else main()
