import { expect, test } from 'vitest';
import { iterateUrlListEntries } from './url-list.js';

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
