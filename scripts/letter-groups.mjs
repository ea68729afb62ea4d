/**
 * Packs statistics of letter groups, `{ group: { language number: score } }`, into two strings: the sorted groups, in cells of one
 * width, and their scores, where a language and the two digits of its score take three characters.
 */

const PAD = '\0';
const END = ' ';
/** Digits are characters from here on, and of base 64: all are printable ASCII. */
const FIRST = 40;

/** Returns the arguments of `unpack` as source code. */
export function packLetterGroups(groups) {
  const width = Math.max(...Object.keys(groups).map(({ length }) => length));
  const names = Object.keys(groups).sort();
  const scores = names.map((name) => Object.entries(groups[name]).map(toCharacters).join(''));
  const cells = names.map((name) => name.padEnd(width, PAD)).join('');
  return [toSource(cells), width, toSource(scores.join(END) + END)].join(', ');
}

function toCharacters([language, score]) {
  return String.fromCharCode(FIRST + Number(language), FIRST + (score >> 6), FIRST + (score & 63));
}

/** A backslash before a character that is not ASCII could not be told from an escape. */
function toSource(text) {
  return JSON.stringify(text).replace(
    /[^ -~]|\\\\/g,
    (part) => `\\u${(part === '\\\\' ? '\\' : part).charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The source of a function that returns an object with the scores of each group that is asked for. */
export const unpack = `
function unpack(cells, width, scores) {
  const ends = new Uint32Array(cells.length / width);
  for (let cell = 0, end = -1; cell < ends.length; cell++) ends[cell] = end = scores.indexOf('${END}', end + 1);
  const find = (group) => {
    for (let low = 0, high = ends.length - 1; low <= high; ) {
      const middle = (low + high) >> 1;
      const cell = cells.slice(middle * width, (middle + 1) * width);
      if (cell === group) return middle;
      if (cell < group) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  };
  const read = (cell) => {
    const found = {};
    for (let at = cell === 0 ? 0 : ends[cell - 1] + 1; at < ends[cell]; at += 3)
      found[scores.charCodeAt(at) - ${FIRST}] = (scores.charCodeAt(at + 1) - ${FIRST}) * 64 + scores.charCodeAt(at + 2) - ${FIRST};
    return found;
  };
  return new Proxy({}, {
    get(_, group) {
      const isGroup = typeof group === 'string' && !group.endsWith('\\0');
      const cell = isGroup ? find(group.padEnd(width, '\\0')) : undefined;
      return cell === undefined ? undefined : read(cell);
    },
  });
}`;
