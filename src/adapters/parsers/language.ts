/** The language of a page: its own word where it is one, else what its text looks like. */
import { franc } from 'franc';

/** Detection compares letter triples: this much text is enough of them, and the cost grows with the length. */
const DETECTION_LENGTH = 240;
/** Shorter texts are guessed wrong more often than is of use. */
const LEAST_LENGTH = 60;

/** ISO 639-3. Each further candidate costs time on every page without a language of its own, and can only be guessed too. */
const CANDIDATES = (
  'eng deu fra spa ita por nld cat glg eus dan swe nob isl fin est lav lit pol ces slk slv hrv hun ron sqi tur azj uzn vie ind ' +
  'swh afr gle cym rus ukr bel bul srp mkd kaz ell heb arb pes urd hin mar npi ben tam tel kan mal guj pan tha khm lao mya kat hye ' +
  'amh cmn jpn kor'
).split(' ');

const OPTIONS = { only: CANDIDATES, minLength: LEAST_LENGTH };

/** BCP 47, in its canonical spelling. `declared`: what the page says, best first. */
export function languageOf(declared: readonly (string | undefined)[], text: string): string | undefined {
  for (const tag of declared) {
    const language = canonical(tag);
    if (language !== undefined) return language;
  }
  if (text.length < LEAST_LENGTH) return undefined;
  // The middle of a page is less often navigation than its beginning.
  const start = Math.max(0, (text.length - DETECTION_LENGTH) >> 1);
  return canonical(franc(text.slice(start, start + DETECTION_LENGTH), OPTIONS));
}

function canonical(tag: string | undefined): string | undefined {
  const written = tag?.trim().replaceAll('_', '-');
  if (written === undefined || !/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(written)) return undefined;
  if (/^(?:und|mul|zxx)(?:-|$)/i.test(written)) return undefined;
  try {
    return Intl.getCanonicalLocales(written)[0];
  } catch {
    return undefined;
  }
}
