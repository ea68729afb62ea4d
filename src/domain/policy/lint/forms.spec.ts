/** Requirements that no URL can satisfy, and their neighbours, which one can. */
import { expect, it } from 'vitest';
import type { Fact } from './facts.js';
import { findFactFault } from './forms.js';

it.each<[Fact['field'], Fact['kind'], string, string | undefined]>([
  ['host', 'exact', '1.2.3.256', 'is not a valid host name'],
  ['host', 'prefix', '1.2.3.256', undefined],
  ['host', 'exact', '[::1', 'is not a valid host name'],
  ['host', 'prefix', '[::1', undefined],
  ['host', 'exact', '', undefined],
  ['host', 'exact', '.a.com', 'begins with a dot'],
  ['host', 'prefix', '.a', 'begins with a dot'],
  ['host', 'domain', '.a.com', 'begins with a dot'],
  ['host', 'suffix', '.a.com', undefined],
  ['host', 'inside', '.a.', undefined],
  ['host', 'exact', 'a.com:80', 'contains a port'],
  ['host', 'exact', '[::1]', undefined],
  ['host', 'inside', 'a/b', 'contains a slash'],
  ['host', 'suffix', 'me@a.com', 'contains an at sign'],
  ['query', 'exact', '?q=1', 'must be written without its ?'],
  ['query', 'prefix', '?q', 'must be written without its ?'],
  ['query', 'inside', '?', undefined],
  ['query', 'exact', 'q=1?', undefined],
  ['fragment', 'exact', '#top', 'must be written without its #'],
  ['fragment', 'inside', '#', undefined],
  ['fragment', 'exact', 'top', undefined],
  ['url', 'prefix', 'http', undefined],
  ['url', 'prefix', 'https://', undefined],
  ['url', 'prefix', 'www.a.com', 'must begin with http:// or https://'],
  ['url', 'inside', 'www.a.com', undefined],
  ['url', 'exact', 'http://a.com/#top', 'has a fragment'],
  ['url', 'exact', 'http://a.com/#/top', undefined],
  ['url', 'prefix', 'http:///x', 'has no host'],
  ['url', 'prefix', 'http://a.com:65535/', undefined],
  ['url', 'prefix', 'http://a.com:65536', 'the highest is 65535'],
  ['url', 'prefix', 'http://a..', undefined],
  ['url', 'opaque', 'www.a.com', undefined],
])('%s %s "%s"', (field, kind, text, expected) => {
  const fault = findFactFault({ field, kind, text, norm: 'none' }, ['http', 'https']);
  if (expected === undefined) expect(fault).toBeUndefined();
  else expect(fault).toContain(expected);
});
