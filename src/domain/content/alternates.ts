/** A media type with its parameters is much shorter than this; longer strings are not parsed. */
const LONGEST_TYPE = 1_024;

/**
 * Is an alternate of this type for programs only? Many web sites link each page to its record in their software's API
 * (JSON) and to its embeddable form (oEmbed), neither of which is a document that a reader looks for.
 */
export function isMachineReadableType(type: string | undefined): boolean {
  if (type === undefined || type.length > LONGEST_TYPE) return false;
  const [essence = ''] = type.split(';', 1);
  return /[/+]json\b|\+oembed\b/i.test(essence);
}
