const READ_FROM_BYTES = /^text\/(?!(?:xml|rtf)$)|^application\/xhtml\+xml$/;

/**
 * Whether a Push API server extracts the text from the bytes, as it does for pages and plain text formats. For
 * everything else, it also needs the text.
 */
export const isTextReadFromBytes = (mediaType: string): boolean => READ_FROM_BYTES.test(mediaType);
