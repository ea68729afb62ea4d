/** Labels for names that are not words. */
const WORDS: Readonly<Record<string, string>> = {
  nthreads: 'Threads',
  norm: 'Normalization',
  val: 'Value',
  litteral: 'Literal',
};

/** The unit at the end of a name; it is shown with the field, as in `(ms)`, so the label does not repeat it. */
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

/** `mimeTypesMode` becomes "Mime types mode". The form shows the name as written in the XML beside the label. */
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
