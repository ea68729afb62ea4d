const READ_FROM_BYTES = /^text\/(?!(?:xml|rtf)$)|^application\/xhtml\+xml$/;

/**
 * Pages and plain text formats: a Push API server extracts their text from the bytes. For everything else it needs the text as
 * well.
 */
export const isReadFromBytes = (mediaType: string): boolean => READ_FROM_BYTES.test(mediaType);
