/**
 * Makes a text safe to print. Names and messages can come from outside: control characters could manipulate the
 * terminal, and directional marks could make a text look like a different one.
 */
export const toPrintable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '?');

/** Like toPrintable, but keeps line breaks. */
export const toPrintableLines = (text: string): string => text.split('\n').map(toPrintable).join('\n');
