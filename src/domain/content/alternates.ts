/**
 * Is an alternate of this type for programs alone? Common web sites name the record of each page in the interface of their
 * software (JSON) and what shows it inside other pages (oEmbed): none of that is a document that a reader looks for.
 */
export const isForPrograms = (type: string | undefined): boolean =>
  type !== undefined && /^\s*[^;]*(?:[/+]json\b|\+oembed\b)/i.test(type);
