import { expect, test } from 'vitest';
import { urlListLines } from './url-list.js';

test.each([
  ['one URL a line, blanks and empty lines aside', ' http://a/ \r\n\n\thttp://b/\n', ['http://a/', 'http://b/']],
  ['a backslash goes on with the next line', 'http://a/\\\r\n  x/\\\ny\nhttp://b/', ['http://a/x/y', 'http://b/']],
  ['a comment takes no next line with it', '# C:\\sites\\\nhttp://a/\n  #\\\nhttp://b/', ['http://a/', 'http://b/']],
  ['a line that goes on nowhere counts', 'http://a/\\', ['http://a/']],
])('in a url list %s', (_, text, urls) => {
  expect(urlListLines(text)).toEqual(urls);
});
