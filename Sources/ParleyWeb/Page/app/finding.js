// SPDX-License-Identifier: Apache-2.0
// Where a text has what is looked for: in any case, and with or without accents, as the server searches.

/** Accents, points of Hebrew and Arabic, and variants of letters. Other marks make other words, as in Thai and Japanese. */
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\ufe00-\ufe0f]/g;
/** How letters are written that are none with an accent, where keyboards lack them; and sigma at the end of a word. */
const spelled = { ß: "ss", ø: "o", ł: "l", đ: "d", ð: "d", æ: "ae", œ: "oe", ı: "i", ς: "σ" };

const plain = (value) => value.normalize("NFKD").replace(accents, "").toLowerCase().replace(/[ßøłđðæœıς]/g, (letter) => spelled[letter]);

/** The places of words in a text, at most so many: pairs of beginning and end. */
export function places(value, words, most = Infinity) {
    const wanted = plain(words);
    const text = plain(value);
    const found = [];
    if (!wanted || !text.includes(wanted)) return found;
    const starts = startsOf(value);
    for (let at = text.indexOf(wanted); at >= 0 && found.length < most; at = text.indexOf(wanted, at + wanted.length)) {
        let end = at + wanted.length;
        // A letter that is two when it is plain is found as a whole.
        while (starts && starts[end] === starts[end - 1]) end += 1;
        found.push(starts ? [starts[at], starts[end]] : [at, end]);
    }
    return found;
}

/** Where each letter of the plain text begins in the text, and its end; null where they are the same. */
function startsOf(value) {
    if (/^[\0-\x7f]*$/.test(value)) return null;
    const starts = [];
    let at = 0;
    for (const letter of value) {
        for (let count = plain(letter).length; count > 0; count -= 1) starts.push(at);
        at += letter.length;
    }
    return [...starts, at];
}
