/**
 * Guesses the language of a text: by its script and by letters that only one language has; then by the small words that
 * every text contains; and where these are not conclusive, as in short texts, by statistics of letter groups. The first
 * two take a twentieth of the time of the third, are right more often on pages full of names and code, and know
 * languages that it takes for their neighbors. There is no result rather than a wrong one if there is no clear winner.
 */
import { createRequire } from 'node:module';
import {
  count,
  countShared,
  detectArabicLanguage,
  detectHebrewLanguage,
  type HasOften,
  isJapanese,
  tellApart,
  tellFromClose,
  toLetters,
} from './close-languages.js';
import { countSmallWords, type SmallWords } from './small-words.js';

/** Length of the sample, which is taken from the middle because the beginning of a page is often navigation. */
const SAMPLE_LENGTH = 2_000;
/** Number of UTF-8 bytes from the middle of a text that suffice for a sample. */
export const SAMPLE_BYTES = 4 * SAMPLE_LENGTH;
/** Minimum number of letters in a script other than Latin, and their minimum share of the sample. */
const MIN_LETTERS = 20;
const MIN_SHARE = 0.2;
/** Maps scripts to languages; for scripts that several languages use, a function decides. */
const SCRIPTS: readonly (readonly [
  letter: RegExp,
  languageOf: (sample: string, hasOften: HasOften) => string | undefined,
])[] = [
  [/[\u3040-\u30ff]/g, () => 'ja'],
  [/[\u4e00-\u9fff]/g, () => 'zh'],
  [/[\uac00-\ud7a3]/g, () => 'ko'],
  [/[\u0400-\u04ff]/g, detectCyrillicLanguage],
  [/[\u0600-\u06ff]/g, detectArabicLanguage],
  [/[\u0370-\u03ff]/g, () => 'el'],
  [/[\u0590-\u05ff]/g, detectHebrewLanguage],
  [/[\u0e00-\u0e7f]/g, () => 'th'],
  [/[\u0900-\u097f]/g, detectDevanagariLanguage],
  [/[\u0980-\u09ff]/g, (_, hasOften) => (hasOften(/[ৰৱ]/g, 80) ? 'as' : 'bn')],
  [/[\u0a00-\u0a7f]/g, () => 'pa'],
  [/[\u0a80-\u0aff]/g, () => 'gu'],
  [/[\u0b00-\u0b7f]/g, () => 'or'],
  [/[\u0b80-\u0bff]/g, () => 'ta'],
  [/[\u0c00-\u0c7f]/g, () => 'te'],
  [/[\u0c80-\u0cff]/g, () => 'kn'],
  [/[\u0d00-\u0d7f]/g, () => 'ml'],
  [/[\u0d80-\u0dff]/g, () => 'si'],
  [/[\u0e80-\u0eff]/g, () => 'lo'],
  [/[\u1000-\u109f]/g, () => 'my'],
  [/[\u1200-\u137f]/g, (_, hasOften) => (hasOften(/[ቐ-ቝኣ]/g, 120) ? 'ti' : 'am')],
  [/[\u1780-\u17ff]/g, () => 'km'],
  [/[\u0530-\u058f]/g, () => 'hy'],
  [/[\u10a0-\u10ff]/g, () => 'ka'],
];

/** Returns a BCP 47 language without region; undefined if the text is not conclusive. */
export function detectLanguage(text: string): string | undefined {
  const start = Math.max(0, (text.length - SAMPLE_LENGTH) >> 1);
  const passage = text.slice(start, start + SAMPLE_LENGTH);
  // Some programs write letters and their marks separately, especially in Vietnamese and Korean.
  const sample = /[\u0300-\uffff]/.test(passage) ? passage.normalize('NFC') : passage;
  const byScript = /[\u0370-\uffff]/.test(sample) ? detectByScript(sample) : undefined;
  return byScript === undefined ? detectLatinLanguage(sample) : byScript.language;
}

const requireModule = createRequire(import.meta.url);
let letterGroups: typeof import('./letter-groups.js')['letterGroups'] | undefined;

interface Guess {
  readonly language: string;
  readonly score: number;
  /** How much higher its score is than the next one. */
  readonly margin: number;
}

/** Guesses by groups of letters, of which the first 350 bytes of a text have enough. */
function guessByLetterGroups(text: string, among: ReadonlySet<string>): Guess | undefined {
  // Loaded once they are needed, because of their size, and at once, because equal texts must get equal answers.
  letterGroups ??= (
    requireModule(
      import.meta.url.endsWith('.ts') ? './letter-groups.ts' : './letter-groups.js',
    ) as typeof import('./letter-groups.js')
  ).letterGroups;
  const [best, second] = Object.entries(letterGroups.detect(text).getScores())
    .map(([code, score]) => [code === 'no' ? 'nb' : code, score] as const)
    .filter(([language]) => among.has(language));
  return best && { language: best[0], score: best[1], margin: best[1] - (second?.[1] ?? 0) };
}

const toSet = (languages: string): ReadonlySet<string> => new Set(languages.split(' '));
/** The languages that the letter groups know, by script. */
const LATIN = toSet('az ca cs da de en es et eu fi fr hr hu is it ku lt lv ms nl nb pl pt ro sk sl sq sv tl tr vi yo');
const CYRILLIC = toSet('be bg ru sr uk');
const DEVANAGARI = toSet('hi mr');
/** Languages that the letter groups take for the first one. Their small words tell them apart. */
const NEIGHBOURS = new Map([
  ['nb', 'nn'],
  ['nl', 'af'],
  ['ms', 'id'],
]);

/** Texts in a language that the letter groups know have scores of 0.6 to 0.9, others of 0.2 to 0.75. */
const HIGH_SCORE = 0.66;
const LOW_SCORE = 0.58;
/** With this margin, a low score is enough. */
const CLEAR_MARGIN = 0.06;
const MIN_MARGIN = 0.01;
/** Shorter texts are names. */
const MIN_LENGTH = 20;
/** Length of texts whose small words are enough, and the score that they need: less with a clear lead over all others. */
const LONG_TEXT = 600;
const LONG_TEXT_SCORE = 10;
const CLEAR_SCORE = 4;
const CLEAR_LEAD = 3;
/** What the small words of a language must be to outweigh letter groups: score, and per word of the text, up to a limit. */
const MIN_RIVAL_SCORE = 0.5;
const MIN_RIVAL_SHARE = 0.06;
const MAX_RIVAL_SCORE = 3;
const AVERAGE_WORD_LENGTH = 6;
/** The score that small words need if the letter groups know no answer. */
const MIN_WORDS_SCORE = 1;
const RIVAL_LEAD = 1.2;
const NEIGHBOUR_LEAD = 0.2;

/** Languages and pairs that are recognized by what they share if nothing else is conclusive. */
const RECOGNIZED = ['xh zu', 'ms id', 'sw', 'eu', 'ga', 'eo'] as const;
/** Number of shared groups, and one more for so many letters. */
const MIN_SHARED = 2;
const LETTERS_PER_SHARED = 40;

function detectLatinLanguage(sample: string): string | undefined {
  const language = guessLatinLanguage(sample);
  if (language !== undefined) return tellFromClose(sample, language);
  if (sample.length < MIN_LENGTH) return undefined;
  // More letters would take longer, and have no more of the groups than these.
  const letters = toLetters(sample.slice(0, LONG_TEXT));
  const minShared = MIN_SHARED + letters.length / LETTERS_PER_SHARED;
  const recognized = RECOGNIZED.find((one) => countShared(letters, one) >= minShared);
  return recognized === 'xh zu' || recognized === 'ms id' ? tellApart(sample, recognized) : recognized;
}

/** Letters that only Esperanto has; so many letters of a text in it have one of them. */
const ESPERANTO_LETTERS = /[ĉĝŝŭ]/gi;
const LETTERS_PER_OWN = 60;

function guessLatinLanguage(sample: string): string | undefined {
  if ((sample.match(ESPERANTO_LETTERS)?.length ?? 0) * LETTERS_PER_OWN >= Math.max(sample.length, MIN_LENGTH))
    return 'eo';
  const words = countSmallWords(sample.toLowerCase());
  const { language } = words;
  if (sample.length > LONG_TEXT && isConclusive(words) && language !== 'nb') return language;
  if (sample.length < MIN_LENGTH) return language;
  // A long text without small words is a list of names.
  const best = words.findBest(new Set());
  if (sample.length > LONG_TEXT && (best === undefined || words.scoreOf(best) < MIN_WORDS_SCORE)) return undefined;
  const guess = guessByLetterGroups(sample, LATIN);
  const guessWords = guess ? words.scoreOf(guess.language) : 0;
  const rival = words.findBest(LATIN);
  const neighbour = guess && NEIGHBOURS.get(guess.language);
  if (neighbour !== undefined && (rival === undefined || words.scoreOf(neighbour) >= words.scoreOf(rival))) {
    const lead = words.scoreOf(neighbour) - guessWords;
    if (lead > NEIGHBOUR_LEAD) return neighbour;
  }
  const isKnown =
    guess !== undefined && (guess.score >= HIGH_SCORE || (guess.score >= LOW_SCORE && guess.margin >= CLEAR_MARGIN));
  if (rival !== undefined) {
    const score = words.scoreOf(rival);
    const share = Math.min(MAX_RIVAL_SCORE, (sample.length / AVERAGE_WORD_LENGTH) * MIN_RIVAL_SHARE);
    const lead = guess ? score - guessWords : score;
    if (score >= Math.max(MIN_RIVAL_SCORE, share) && lead > (isKnown ? RIVAL_LEAD : 0)) return rival;
  }
  if (isKnown) return guess.margin >= MIN_MARGIN ? guess.language : undefined;
  return language !== undefined && words.scoreOf(language) >= MIN_WORDS_SCORE ? language : undefined;
}

function isConclusive({ language, scoreOf, findBest }: SmallWords): boolean {
  if (language === undefined) return false;
  const score = scoreOf(language);
  if (score > LONG_TEXT_SCORE) return true;
  const second = findBest(new Set([language]));
  return score > CLEAR_SCORE && (second === undefined || score >= CLEAR_LEAD * scoreOf(second));
}

/** Returns undefined if the text is in the Latin script. */
function detectByScript(sample: string): { readonly language: string | undefined } | undefined {
  const requiredCount = Math.max(MIN_LETTERS, sample.length * MIN_SHARE);
  const counts = SCRIPTS.map(([letter]) => count(sample, letter));
  const [kana = 0, han = 0, hangul = 0] = counts;
  if (kana + han >= requiredCount && kana + han > hangul && isJapanese(sample, kana, han)) return { language: 'ja' };
  const highestCount = Math.max(...counts);
  if (highestCount < requiredCount) return undefined;
  const hasOften: HasOften = (letters, oneIn) => count(sample, letters) * oneIn >= highestCount;
  return { language: SCRIPTS[counts.indexOf(highestCount)]![1](sample, hasOften) };
}

/** Decides by letters that only one language of the script uses; returns undefined if several languages use them. */
function detectCyrillicLanguage(sample: string, hasOften: HasOften): string | undefined {
  if (hasOften(/[ҷӣӯ]/gi, 150)) return 'tg';
  if (hasOften(/[ҙҡҫ]/gi, 150)) return 'ba';
  if (hasOften(/[қғҳ]/gi, 200) && hasOften(/[ўқғҳ]/gi, 150)) {
    if (count(sample, /[әөүұіңһ]/gi) >= count(sample, /[ўҳ]/gi)) return 'kk';
    return /ў/i.test(sample) ? 'uz' : undefined;
  }
  if (hasOften(/[әөүұ]/gi, 250)) {
    if (hasOften(/[іұ]/gi, 150)) return 'kk';
    return hasOften(/ә/gi, 150) ? 'tt' : detectKyrgyzOrMongolian(sample);
  }
  if (hasOften(/[јљњџѓќѕђћ]/gi, 100)) {
    const lead = count(sample, /[ѓќѕ]/gi) - count(sample, /[ђћ]/gi);
    return lead === 0 ? tellApart(sample, 'mk sr') : lead > 0 ? 'mk' : 'sr';
  }
  if (hasOften(/[іїєґў]/gi, 60)) {
    const lead = count(sample, /[їєґ]/gi) - count(sample, /ў/gi);
    if (lead !== 0) return lead > 0 ? 'uk' : 'be';
  }
  // Every sentence in another Slavic language has one of these letters.
  if (!/[йщъьюяыэёі]/i.test(sample) && tellApart(sample, 'mk bg') !== 'bg') return tellApart(sample, 'mk sr');
  const letters = toLetters(sample);
  if (countShared(letters, 'mn') >= MIN_SHARED + letters.length / LETTERS_PER_SHARED) return 'mn';
  const guess = guessByLetterGroups(sample, CYRILLIC);
  if (!guess || guess.score < HIGH_SCORE) return undefined;
  const isSouthern = guess.language === 'bg' || guess.language === 'sr';
  if (isSouthern && !/[щъ]/i.test(sample) && tellApart(sample, 'mk bg') === 'mk') return 'mk';
  return guess.language;
}

function hasWord(sample: string, words: readonly string[]): boolean {
  const sampleWords = new Set(sample.toLowerCase().split(/[\s.,:;!?()"«»„“]/));
  return words.some((word) => sampleWords.has(word));
}

function detectKyrgyzOrMongolian(sample: string): string | undefined {
  if (/ң/i.test(sample) || hasWord(sample, ['жана', 'үчүн', 'менен', 'эмес'])) return 'ky';
  return /ийн|гүй|ээ|(?:^|\s)(?:ба|нь|байна|юм|болон|энэ)(?:\s|$)/i.test(sample) ? 'mn' : undefined;
}

function detectDevanagariLanguage(sample: string): string | undefined {
  if (/ळ|आहे|आणि/.test(sample)) return 'mr';
  if (/छन्|छ।|हुने|लाई/.test(sample) && !/ (?:है|में) /.test(sample)) return 'ne';
  const told = tellApart(sample, 'mr hi');
  if (told !== undefined) return told;
  return guessByLetterGroups(sample, DEVANAGARI)?.language ?? (/है|में|और/.test(sample) ? 'hi' : undefined);
}
