/** What stands in a text for bytes that are not UTF-8. A rule that has it matches nothing that its author meant. */
export const NOT_UTF8 = '\uFFFD';

export const NOT_UTF8_MESSAGE = 'a character is not UTF-8: save the file as UTF-8';
