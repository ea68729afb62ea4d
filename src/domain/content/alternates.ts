/** Descriptions of a site for programs, and feeds: their links may matter, their text is worth nothing to readers. */
const PROGRAM_TYPE =
  /^application\/(?:(?:rss|atom|rsd|atomsvc|opensearchdescription)\+xml|(?:feed|manifest|vnd\.oai\.openapi)\+json|(?:json|xml)\+oembed)$/;

/** Whether a response of this media type, without parameters, is only for programs. JSON as such may be a document. */
export const isProgramType = (mediaType: string): boolean => PROGRAM_TYPE.test(mediaType);

/** A media type with its parameters is much shorter than this; longer strings are not parsed. */
const MAX_TYPE_LENGTH = 1_024;

/**
 * Whether an alternate of this media type is meant only for programs. Many web sites link each page to its record in
 * their software's API (JSON) and to its embeddable form (oEmbed); neither is a document for readers.
 */
export function isMachineReadableType(type: string | undefined): boolean {
  if (type === undefined || type.length > MAX_TYPE_LENGTH) return false;
  const [essence = ''] = type.split(';', 1);
  return /[/+]json\b|\+oembed\b/i.test(essence);
}
