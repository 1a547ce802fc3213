#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers the recordings that recognisers are compared with: each a WAV of 16 kHz, with its words.

    Benchmarks/recordings.py [FOLDER]           (.build/references/speech)

* Five sentences of a public-domain reading of "Sense and Sensibility" (LibriVox), and five of playing cards, from
  Debian's package pocketsphinx-testdata; the six names of loudspeakers of alsa-utils; the speech of 1961 that whisper.cpp
  comes with, from the source package pywhispercpp of PyPI.
* Sentences in five languages, spoken by espeak-ng, which must be installed. A machine's voice is hard for small models, so
  that half of the words are wrong in languages other than English.
* Forty announcements of a telephone exchange in each of four languages, spoken by people (Asterisk's core sounds, CC BY-SA
  3.0, from Debian's packages), in 16 kHz. They are G.722, which PyAV decodes (faster-whisper brings it); without it they are
  left out.
* One long talk: the English sentences and the recordings, with pauses between them.
* Sounds in which nobody speaks: silence, noise, a hum, a melody.

Nothing of it is committed. `list.json` in the folder has for each file its kind, language, words and length in seconds.
Needs Debian's `apt-get download` and `dpkg-deb`, and but for PyAV only Python's standard library.
"""
import array, gzip, hashlib, io, json, math, pathlib, random, re, shutil, subprocess, sys, tarfile, tempfile
import urllib.parse, urllib.request, wave

ROOT = pathlib.Path(__file__).resolve().parent.parent
RATE = 16_000
SPEAKERS = ["Front Center", "Front Left", "Front Right", "Rear Left", "Rear Right", "Side Left"]
WHISPER_SOURCE = "pywhispercpp-1.5.1", "5df897e5dd9d9f16804fc937bd85b9f5880a0b29a55f8843585e0e03d76195e5"

SPEAKERS_OF_PROMPTS = {"en": "en_US_f_Allison", "es": "es_MX_f_Allison", "fr": "fr_CA_f_June", "it": "it_IT_m_Carlo"}
PROMPTS = 40

SENTENCES = {
    "en": [
        "The train to the coast leaves at seven.", "Please move the meeting to Thursday afternoon.",
        "She bought three apples and a loaf of bread.", "The bridge is closed until the end of March.",
        "I would like to reserve a table for four people.", "Turn left at the church and follow the river.",
        "Our daughter begins school in September.", "The doctor asked him to rest for a week.",
        "Remind me to call the plumber tomorrow morning.", "There are twenty students in the class.",
        "The museum is free on the first Sunday of the month.", "He forgot his umbrella in the office again.",
        "Can you send me the photographs from the wedding?", "The cat slept on the warm kitchen floor.",
        "We need two more chairs for the dinner on Friday.", "The price of coffee has doubled since last year.",
        "It rained all night, and in the morning the garden was under water.",
        "The library opens at nine, but the reading room is closed on Mondays.",
        "If the weather is good, we will walk to the top of the hill and have lunch there.",
        "My brother works in a small hospital near the border and comes home every second weekend.",
    ],
    "de": [
        "Der Zug nach Hamburg fährt um sieben Uhr ab.", "Bitte verschieben Sie das Treffen auf Donnerstag.",
        "Sie kaufte drei Äpfel und ein Brot.", "Die Brücke ist bis Ende März gesperrt.",
        "Ich möchte einen Tisch für vier Personen reservieren.", "Unsere Tochter kommt im September in die Schule.",
        "Die Katze schlief auf dem warmen Boden der Küche.", "Wenn das Wetter gut ist, gehen wir am Nachmittag in den Wald.",
    ],
    "fr": [
        "Le train pour Lyon part à sept heures.", "Je voudrais réserver une table pour quatre personnes.",
        "Elle a acheté trois pommes et du pain.", "Le pont est fermé jusqu'à la fin du mois de mars.",
        "Notre fille commence l'école en septembre.", "Le chat dormait dans la cuisine.",
        "Il a oublié son parapluie au bureau.", "S'il fait beau, nous irons à la montagne dimanche.",
    ],
    "es": [
        "El tren a Sevilla sale a las siete.", "Quisiera reservar una mesa para cuatro personas.",
        "Ella compró tres manzanas y un pan.", "El puente está cerrado hasta finales de marzo.",
        "Nuestra hija empieza la escuela en septiembre.", "El gato dormía en la cocina.",
        "Olvidó su paraguas en la oficina.", "Si hace buen tiempo, iremos a la playa el domingo.",
    ],
    "it": [
        "Il treno per Roma parte alle sette.", "Vorrei prenotare un tavolo per quattro persone.",
        "Lei ha comprato tre mele e del pane.", "Il ponte è chiuso fino alla fine di marzo.",
        "Nostra figlia comincia la scuola a settembre.", "Il gatto dormiva in cucina.",
        "Ha dimenticato l'ombrello in ufficio.", "Se il tempo è bello, domenica andremo al mare.",
    ],
}


def read(path):
    """The samples of a WAV of 16 bits at 16 kHz; of other rates by the nearest values in a line."""
    with wave.open(str(path)) as sound:
        rate, channels = sound.getframerate(), sound.getnchannels()
        values = array.array("h", sound.readframes(sound.getnframes()))[::channels]
    return resampled(values, rate)


def resampled(values, rate):
    """A windowed sinc, which also takes away what the lower rate cannot hold."""
    if rate == RATE:
        return values
    ratio, reach = RATE / rate, 24
    cut = min(1.0, ratio)
    result = array.array("h")
    for index in range(int(len(values) * ratio)):
        middle = index / ratio
        first, last = max(0, int(middle - reach / cut)), min(len(values), int(middle + reach / cut) + 1)
        total = 0.0
        for at in range(first, last):
            x = (at - middle) * cut
            sinc = 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)
            total += values[at] * sinc * (0.5 + 0.5 * math.cos(math.pi * x / reach)) * cut
        result.append(max(-32_768, min(32_767, round(total))))
    return result


def write(path, values):
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(values.tobytes())


def debian(package, folder):
    subprocess.run(["apt-get", "download", "-o", "APT::Sandbox::User=root", package], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["dpkg-deb", "-x", next(folder.glob(f"{package}_*.deb")), folder], check=True)


def spoken(text, language, path):
    subprocess.run(["espeak-ng", "-v", "en-us" if language == "en" else language, "-s", "150", "-w", str(path), text], check=True)
    return read(path)


def whisper_source(folder):
    """whisper.cpp's source; pip would build the package to learn its name."""
    name, digest = WHISPER_SOURCE
    index = urllib.request.Request(f"https://pypi.org/simple/{name.split('-')[0]}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(index, timeout=60) as answer:
        links = re.findall(r'href="([^"#]+)[^"]*"', answer.read().decode())
    address = urllib.parse.urljoin(index.full_url, next(one for one in links if one.endswith(f"/{name}.tar.gz")))
    with urllib.request.urlopen(address, timeout=300) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"{name} is not what it was")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder / name / "whisper.cpp"


def prompts(folder):
    """Announcements of seven to thirty words: language, name, text and samples."""
    try:
        import av
    except ImportError:
        print("PyAV is missing: no announcements", file=sys.stderr)
        return
    for language, speaker in SPEAKERS_OF_PROMPTS.items():
        package = f"asterisk-core-sounds-{language}"
        debian(package, folder)
        debian(f"{package}-g722", folder)
        texts = gzip.decompress((folder / f"usr/share/doc/{package}/core-sounds-{language}.txt.gz").read_bytes())
        known = []
        for line in texts.decode(errors="replace").splitlines():
            name, _, text = (part.strip() for part in line.partition(":"))
            source = folder / f"usr/share/asterisk/sounds/{speaker}/{name}.g722"
            # What is spelt, cut off or only described is not written as it is spoken.
            if re.fullmatch(r"[a-z][\w-]*", name) and 7 <= len(text.split()) <= 30 and source.exists() \
                    and not re.search(r"[][<>(){}*#/\d]|\.\.\.|[A-Z]{2}", text):
                known.append((name, text, source))
        for index in range(min(PROMPTS, len(known))):
            name, text, source = known[index * len(known) // PROMPTS]
            values, resampler = array.array("h"), av.AudioResampler("s16", "mono", RATE)
            with av.open(str(source), format="g722") as sound:
                for frame in sound.decode(audio=0):
                    for part in resampler.resample(frame):
                        values.frombytes(part.to_ndarray().tobytes())
            yield language, name, text, values


def sounds():
    """Sounds without speech, of eight seconds."""
    noise, count = random.Random(7), 8 * RATE
    scale = [262, 294, 330, 349, 392, 440, 494, 523]
    yield "silence", array.array("h", bytes(2 * count))
    yield "noise", array.array("h", (round(noise.gauss(0, 900)) for _ in range(count)))
    yield "hum", array.array("h", (round(2_500 * math.sin(2 * math.pi * 50 * i / RATE)
                                         + 900 * math.sin(2 * math.pi * 150 * i / RATE)) for i in range(count)))
    yield "melody", array.array("h", (round(5_000 * math.exp(-3 * (i % RATE) / RATE) * sum(
        math.sin(2 * math.pi * scale[i // RATE] * n * i / RATE) / n for n in (1, 2, 3))) for i in range(count)))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "references" / "speech"
    if (folder / "list.json").exists():
        print(folder)
        return
    if not shutil.which("espeak-ng"):
        sys.exit("espeak-ng is missing: apt-get install espeak-ng")
    folder.mkdir(parents=True, exist_ok=True)
    items = []

    def add(name, kind, language, text, values):
        write(folder / f"{name}.wav", values)
        items.append({"file": f"{name}.wav", "kind": kind, "language": language, "text": text,
                      "seconds": round(len(values) / RATE, 3)})
        return values

    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        debian("pocketsphinx-testdata", work)
        debian("alsa-utils", work)
        data = work / "usr/share/pocketsphinx/test/data"
        talk = array.array("h")
        for part in ("librivox", "cards"):
            for line in (data / part / ("transcription" if part == "librivox" else "cards.transcription")).read_text().splitlines():
                text, name = re.fullmatch(r"(?:<s>)?\s*(.*?)\s*(?:</s>)?\s*\(([^)]*)\)", line.strip()).groups()
                text = text.replace("more a amiable", "more amiable")  # a slip of the transcription
                source = data / part / f"{name.split('/')[-1]}.wav"
                talk += add(f"{part}-{source.stem[-4:]}", "recording", "en", text, read(source))
                talk += array.array("h", bytes(2 * RATE))
        for name in SPEAKERS:
            source = work / "usr/share/sounds/alsa" / f"{name.replace(' ', '_')}.wav"
            add(f"speaker-{name.replace(' ', '-').lower()}", "recording", "en", name.replace("Center", "Centre"), read(source))
        sample = whisper_source(work) / "samples" / "jfk.wav"
        text = "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country."
        talk += add("jfk", "recording", "en", text, read(sample))
        for language, sentences in SENTENCES.items():
            for index, text in enumerate(sentences):
                values = add(f"{language}-{index:02}", "sentence", language, text, spoken(text, language, work / "one.wav"))
                if language == "en":
                    talk += array.array("h", bytes(RATE)) + values
        known = [item for item in items if item["language"] == "en" and not item["file"].startswith("speaker")]
        order = [*[one for one in known if one["kind"] == "recording"], *[one for one in known if one["kind"] == "sentence"]]
        add("talk", "long", "en", " ".join(one["text"] for one in order), talk)
        for language, name, text, values in prompts(work):
            add(f"prompt-{language}-{name}", "prompt", language, text, values)
        for name, values in sounds():
            add(name, "nobody", "en", "", values)
    (folder / "list.json").write_text(json.dumps(items, indent=1, ensure_ascii=False) + "\n")
    print(folder)


if __name__ == "__main__":
    main()
