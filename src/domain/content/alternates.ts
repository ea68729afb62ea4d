/** A media type with its parameters is much shorter than this; longer text is not a media type and is not parsed. */
const LONGEST_TYPE = 1_024;

/**
 * Is an alternate of this type for programs only? Common web sites link the record of each page in their software's interface
 * (JSON) and the form to embed it in other pages (oEmbed): neither is a document that a reader looks for.
 */
export function isForPrograms(type: string | undefined): boolean {
  if (type === undefined || type.length > LONGEST_TYPE) return false;
  const [essence = ''] = type.split(';', 1);
  return /[/+]json\b|\+oembed\b/i.test(essence);
}
