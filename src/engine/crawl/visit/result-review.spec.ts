import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { PageResult } from '../../ports/page-task.js';
import { ResultReview } from './result-review.js';

const ORIGIN = 'http://a.example';
const state = (parts: Partial<UrlState> = {}): UrlState =>
  ({
    crawler: 'docs',
    url: `${ORIGIN}/x`,
    hostKey: 'a.example',
    redirects: 0,
    discoveredVia: 'link',
    status: 'waiting',
    ...parts,
  }) as UrlState;
const result = (outcome: object): PageResult =>
  ({
    crawler: 'docs',
    outcome,
    links: [{ url: `${ORIGIN}/1` }, { url: `${ORIGIN}/2` }],
    refused: [{}],
  }) as unknown as PageResult;
const redirect = (target: string) => result({ kind: 'redirect', target });

function review(stored: readonly UrlState[] = [], errorPage?: string) {
  const forgotten: unknown[] = [];
  const reviewed = new ResultReview({
    store: { find: async (_, url) => stored.find((one) => one.url === url) },
    clock: new ManualClock(),
    probes: {
      suspect: () => false,
      resemblesAnother: () => false,
      isErrorPage: (hostKey, fingerprint) =>
        `${hostKey} ${(fingerprint as unknown as { of: string }).of}` === errorPage,
    },
    processor: { forget: (crawler, urls) => void forgotten.push([crawler, urls]) },
  });
  return { reviewed, forgotten };
}
const FORGOTTEN = [['docs', [`${ORIGIN}/1`, `${ORIGIN}/2`]]];
const failure = (code: string) => ({ outcome: { kind: 'error', code }, links: [], refused: [] });

describe('a document', () => {
  const document = (of?: string) =>
    result({ kind: 'document', facts: of === undefined ? {} : { fingerprint: { of } } });

  it('that is what the host sends for a URL that cannot exist is an error, and its links are dropped', async () => {
    const { reviewed, forgotten } = review([], 'a.example sorry');
    expect(await reviewed.review(state(), document('sorry'))).toMatchObject(failure('soft-error'));
    expect(forgotten).toEqual(FORGOTTEN);
  });

  it.each([document('welcome'), document(), result({ kind: 'unchanged' }), result({ kind: 'sitemap' })])(
    'that is not stays as it is: %#',
    async (page) => {
      const { reviewed, forgotten } = review([], 'a.example sorry');
      expect(await reviewed.review(state(), page)).toBe(page);
      expect(forgotten).toEqual([]);
    },
  );
});

describe('a redirect', () => {
  const hop = (path: string, from: string | undefined, parts: Partial<UrlState> = {}) =>
    state({
      url: `${ORIGIN}${path}`,
      status: 'redirected',
      ...(from === undefined ? {} : { discoveredVia: 'redirect', foundOn: `${ORIGIN}${from}` }),
      ...parts,
    });
  const chain = [hop('/1', undefined), hop('/2', '/1'), hop('/3', '/2', { status: 'waiting' })];
  const last = hop('/x', '/3', { redirects: 3, status: 'waiting' });

  it.each(['/1', '/2', '/3'])('to an earlier URL of its chain is a loop: %s', async (path) => {
    const { reviewed, forgotten } = review(chain);
    expect(await reviewed.review(last, redirect(`${ORIGIN}${path}`))).toMatchObject(failure('redirect-loop'));
    expect(forgotten).toEqual(FORGOTTEN);
  });

  it.each([
    ['to another URL', last, chain, '/y'],
    ['that a link led to', { ...last, discoveredVia: 'link' }, chain, '/1'],
    ['further back than its chain is long', { ...last, redirects: 2 }, chain, '/1'],
    ['whose chain has a URL with a document', last, [chain[0], { ...chain[1]!, status: 'indexed' }, chain[2]], '/2'],
    ['whose chain is forgotten', last, chain.slice(0, 2), '/1'],
  ])('%s is none', async (_, from, stored, path) => {
    const { reviewed } = review(stored as UrlState[]);
    const page = redirect(`${ORIGIN}${path}`);
    expect(await reviewed.review(from as UrlState, page)).toBe(page);
  });

  it.each([
    ['of an indexed page to a login', { stamp: 's' }, '/login?next=x', true],
    ['of a page that is not indexed', {}, '/login?next=x', false],
    ['of an indexed page to another page', { stamp: 's' }, '/y', false],
    ['of a login page to itself', { stamp: 's', url: `${ORIGIN}/login?a` }, '/login?b', false],
  ])('%s leads to a login wall: %#', async (_, parts, path, isWall) => {
    const { reviewed } = review();
    const page = redirect(`${ORIGIN}${path}`);
    const reviewedPage = await reviewed.review(state(parts), page);
    if (isWall)
      expect(reviewedPage).toMatchObject({
        ...failure('login-wall'),
        outcome: { detail: expect.stringMatching(/ \S+\/login$/) },
      });
    else expect(reviewedPage).toBe(page);
  });
});

it('links of a page whose review failed are reported again at its next visit', async () => {
  const { reviewed, forgotten } = review();
  const broken = result({
    get kind() {
      throw new Error('locked');
    },
  });
  await expect(reviewed.review(state(), broken)).rejects.toThrow('locked');
  expect(forgotten).toEqual(FORGOTTEN);
});
