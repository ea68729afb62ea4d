import { expect, test } from 'vitest';
import { countLines, iterateLines, iterateUrlListEntries } from './url-list.js';

test.each([
  ['one URL a line, blanks and empty lines aside', ' http://a/ \r\n\n\thttp://b/\n', ['http://a/', 'http://b/']],
  ['a backslash goes on with the next line', 'http://a/\\\r\n  x/\\\ny\nhttp://b/', ['http://a/x/y', 'http://b/']],
  ['a comment takes no next line with it', '# C:\\sites\\\nhttp://a/\n  #\\\nhttp://b/', ['http://a/', 'http://b/']],
  [
    'a comment may stand after a URL',
    'http://a/ # home\nhttp://b/#part\t#x\\\nhttp://c/\\ # more\n',
    ['http://a/', 'http://b/#part', 'http://c/'],
  ],
  ['a line that goes on nowhere counts', 'http://a/\\', ['http://a/']],
])('in a url list %s', (_, text, urls) => {
  expect([...iterateUrlListEntries(text)].map((entry) => entry.text)).toEqual(urls);
});

test('entries carry the line on which they begin, and white space before a comment is not part of them', () => {
  const entries = [...iterateUrlListEntries('# x\n\nhttp://a/\\\n\nhttp://b/ \t # y\n\\\nhttp://c/#d\n')];
  expect(entries).toEqual([
    { line: 3, text: 'http://a/' },
    { line: 5, text: 'http://b/' },
    { line: 7, text: 'http://c/#d' },
  ]);
});

test.each([
  ['', ['']],
  ['a', ['a']],
  ['a\nb', ['a', 'b']],
  ['a\r\n\r\nb\n', ['a', '', 'b', '']],
  ['\r', ['']],
  ['a\rb\r\r\n', ['a\rb\r', '']],
  ['\n', ['', '']],
])('the lines of %j', (text, lines) => {
  expect([...iterateLines(text)]).toEqual(lines.map((line, index) => ({ line: index + 1, text: line })));
  for (const limit of [1, 2, 3, 100]) expect(countLines(text, limit)).toBe(Math.min(lines.length, limit));
});
