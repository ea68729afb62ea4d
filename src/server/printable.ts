/**
 * Makes a text safe to print. Names and messages can come from outside: control characters could manipulate the
 * terminal, directional marks could make a text look like a different one, and what nobody sees could still be read by an
 * assistant. Joiners remain, because many scripts need them.
 */
export const toPrintable = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu,
    '?',
  );

/** Like toPrintable, but keeps line breaks. */
export const toPrintableLines = (text: string): string => text.split('\n').map(toPrintable).join('\n');
