const READ_FROM_BYTES = /^text\/(?!(?:xml|rtf)$)|^application\/xhtml\+xml$/;

/**
 * True for pages and plain text formats: a Push API server extracts their text from the bytes. For everything else, it
 * also needs the text.
 */
export const isReadFromBytes = (mediaType: string): boolean => READ_FROM_BYTES.test(mediaType);
