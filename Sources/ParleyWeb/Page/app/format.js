// SPDX-License-Identifier: Apache-2.0
// Numbers, dates and sizes, as the reader's language writes them. Formatters are made once, for making one is slow.

import { words } from "./screen-strings.js";

// The page's words are English; of the ways to write dates and numbers in it, that of the reader's country.
const language = navigator.languages?.find((one) => one.startsWith("en")) ?? "en-GB";
const whole = new Intl.NumberFormat(language);
const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
// The times on cards are the server's, which writes them with 24 hours; one page has one clock.
const hourCycle = "h23";
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short", hourCycle });
const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
const dayWithYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric" });
const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short", hourCycle });
const choice = new Intl.ListFormat(language, { type: "disjunction" });
const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A whole number: 1,234. */
export const count = (value) => (isNumber(value) ? whole.format(Math.round(value)) : "–");

/** A short number: 8.2K. */
export const brief = (value) => (isNumber(value) ? short.format(value) : "–");

/** A number with at most one digit after the point. */
export const rounded = (value) => (isNumber(value) ? decimal.format(value) : "–");

/** One of several names: a, b or c. */
export const oneOf = (names) => choice.format(names);

/** A share from 0 to 1, in percent. */
export const share = (value) => (isNumber(value) ? percent.format(value) : "");

/** A number of bytes: 98 MB. */
export function bytes(value) {
    if (!isNumber(value)) return "–";
    let rest = value;
    let step = 0;
    while (rest >= 1000 && step < units.length - 1) {
        rest /= 1000;
        step += 1;
    }
    // The short form of bytes has no plural.
    const unitDisplay = step === 0 ? "long" : "short";
    const options = { style: "unit", unit: units[step], unitDisplay, maximumFractionDigits: rest < 10 && step > 1 ? 1 : 0 };
    return new Intl.NumberFormat(language, options).format(rest);
}

/** A length of time: 12 s, 3 min 20 s, 1 h 5 min. */
export function duration(seconds) {
    if (!isNumber(seconds)) return "–";
    if (seconds < 10) return `${decimal.format(seconds)} s`;
    const total = Math.round(seconds);
    const minutes = Math.floor(total / 60);
    if (minutes === 0) return `${total} s`;
    if (minutes < 60) return `${minutes} min${total % 60 ? ` ${total % 60} s` : ""}`;
    return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
}

/** The time of day. */
export const time = (seconds) => clock.format(new Date(seconds * 1000));

/** Day and time in full. */
export const fullDate = (seconds) => full.format(new Date(seconds * 1000));

/** The instant as a machine reads it. */
export const machineDate = (seconds) => new Date(seconds * 1000).toISOString();

/** The number of days that lie between an instant and now, by the calendar of this place. */
export function daysAgo(seconds, now = Date.now()) {
    const start = (instant) => new Date(instant.getFullYear(), instant.getMonth(), instant.getDate(), 12).getTime();
    return Math.round((start(new Date(now)) - start(new Date(seconds * 1000))) / 86_400_000);
}

/** The name of a day: its weekday within half a year, else with its year. */
function dayName(seconds, now = Date.now()) {
    return (daysAgo(seconds, now) < 180 ? day : dayWithYear).format(new Date(seconds * 1000));
}

/** The name of a day as it is said: today, yesterday, else its own. */
export function relativeDay(seconds) {
    const days = daysAgo(seconds);
    return days <= 0 ? words.chats.today : days === 1 ? words.chats.yesterday : dayName(seconds);
}

/** The number of words in a text, in any script. */
export function wordCount(value) {
    const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
    let words = 0;
    for (const segment of segmenter.segment(value)) if (segment.isWordLike) words += 1;
    return words;
}

/** The first words of a text, on one line. */
export function firstWords(value, limit = 60) {
    const line = (value ?? "").replace(/\s+/g, " ").trim();
    // No half of a letter that has two units, such as an emoji, is left at the end.
    return line.length > limit ? `${line.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "").trimEnd()}…` : line;
}
