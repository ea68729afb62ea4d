/** Labels for names that are not words. */
const LABELS: Readonly<Record<string, string>> = {
  nthreads: 'Threads',
  norm: 'Normalization',
  val: 'Value',
  litteral: 'Literal',
};

/** The unit at the end of a name. The label omits it, because the field shows it separately, as in `(ms)`. */
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
export function getAttributeLabel(name: string): string {
  const fixedLabel = LABELS[name];
  if (fixedLabel !== undefined) return fixedLabel;
  const label = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(UNIT, '')
    .replace(/\b(min|max)\b/g, (abbreviation) => `${abbreviation}imum`)
    .split(/[ _:-]+/)
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}
