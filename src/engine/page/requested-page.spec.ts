import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { createRequest, needsPageText, type RequestedPage, toSessionAnswer } from './requested-page.js';

it.each([
  ['nothing', {}, {}, 'never', false],
  ['a sink that wants it', { wantsText: true }, {}, 'never', true],
  ['a page that may be rendered', {}, {}, 'auto', true],
  ['words to compare with', {}, { wantsWords: 'all' }, 'never', true],
  ['a person who looks at the page', {}, { inspect: true }, 'never', true],
])('the text of a page is read for %s', (_, context, task, mode, expected) => {
  const off = {
    storeTextOnly: false,
    probeErrorPages: 'never',
    nearDuplicateDetector: false,
    changeGuard: { on: false },
  };
  const definition = { ...crawlerDefinition(), ...off };
  const page = { task, mode, effects: { options: {} }, context: { definition, wantsText: false, ...context } };
  expect(needsPageText(page as unknown as RequestedPage)).toBe(expected);
});

it('a login gets what a response says about its session', () => {
  const headers = {
    location: '/login',
    'set-cookie': 'a=1',
    'www-authenticate': 'Digest nonce="1"',
    'authentication-info': 'nextnonce="2"',
  };
  const response = { kind: 'response', status: 302, headers, body: Buffer.from('') } as unknown as HttpResponse;
  const request = { url: 'http://a.example/x', fetcher: 'default' };
  expect(toSessionAnswer(request, response)).toEqual({
    url: 'http://a.example/x',
    status: 302,
    location: 'http://a.example/login',
    setCookie: 'a=1',
    challenge: 'Digest nonce="1"',
    authenticationInfo: 'nextnonce="2"',
    loggedOut: undefined,
  });
});

it.each([
  ['that is in the index', {}, 'never', 'e'],
  ['that is missing from the index', { stamp: undefined }, 'never', undefined],
  ['whose links are read again', { rereadLinks: true }, 'never', undefined],
  ['that is always rendered', {}, 'always', undefined],
  ['that has needed rendering so far', { render: 'always' }, 'auto', undefined],
  ['that has needed no rendering so far', {}, 'auto', 'e'],
])('the server may say that a page %s is unchanged: its ETag is sent or not', (_, task, mode, sent) => {
  const url = toCrawlUrl('http://a.example/x');
  const page = {
    task: { url: url.href, stamp: 's', etag: 'e', ...task },
    ...{ url, mode, effects: { index: true, options: {} } },
    context: { definition: crawlerDefinition(), canonicalize: () => url, fetcher: { name: 'default' } },
  };
  expect(createRequest(page as unknown as RequestedPage).ifNoneMatch).toBe(sent);
});
