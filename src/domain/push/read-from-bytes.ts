const READ_FROM_BYTES = /^text\/(?!(?:xml|rtf)$)|^application\/xhtml\+xml$/;

/** Pages and plain formats of text: a Push API server takes their text out of the bytes. Of all else it wants the text beside them. */
export const isReadFromBytes = (mediaType: string): boolean => READ_FROM_BYTES.test(mediaType);
