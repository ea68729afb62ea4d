/** Names that are no words, in words. */
const WORDS: Readonly<Record<string, string>> = {
  nthreads: 'Threads',
  norm: 'Normalization',
  val: 'Value',
  litteral: 'Literal',
};

/** Written with the field, so that the words need not repeat it: `(ms)`. */
const UNIT = /(?<! per) (?:ms|s|bytes)$/;

const ABBREVIATIONS = new Set([
  'url',
  'uri',
  'http',
  'https',
  'api',
  'ca',
  'tls',
  'xml',
  'html',
  'id',
  'ip',
  'dns',
  'acl',
  'pdf',
]);

/** `mimeTypesMode` becomes "Mime types mode". The form shows the name itself beside it, as the XML has it. */
export function attributeLabel(name: string): string {
  const known = WORDS[name];
  if (known !== undefined) return known;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(UNIT, '')
    .replace(/\b(min|max)\b/g, (short) => `${short}imum`)
    .split(/[ _:-]+/)
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
