/** A media type with its parameters fits many times; what is longer is not a type, and is not looked through. */
const LONGEST_TYPE = 1_024;

/**
 * Is an alternate of this type for programs alone? Common web sites name the record of each page in the interface of their
 * software (JSON) and what shows it inside other pages (oEmbed): none of that is a document that a reader looks for.
 */
export function isForPrograms(type: string | undefined): boolean {
  if (type === undefined || type.length > LONGEST_TYPE) return false;
  const [essence = ''] = type.split(';', 1);
  return /[/+]json\b|\+oembed\b/i.test(essence);
}
