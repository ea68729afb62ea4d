/** The sentence about each fate of a URL, in full: users read these texts, and everything else only explains them. */
import { describe, expect, it } from 'vitest';
import type { UrlState } from '../crawl/url-state.js';
import { INDEX, REFRESH } from '../frontier/sources.js';
import type { Verdict } from '../policy/verdict.js';
import { instant, minutes, NEVER } from '../time/units.js';
import type { OrderFacts, UrlFacts } from './facts.js';
import { createHeadline } from './headline.js';

const NOW = instant(Date.UTC(2026, 0, 10, 12));
const LATER = instant(NOW + minutes(90));

const effects: Verdict['effects'] = { index: true, follow: true, priorityShift: 0, metas: [], options: {} };
const ACCEPTED: Verdict = {
  accepted: true,
  reason: 'accepted',
  effects,
  record: false,
  keepDocument: false,
  needsAddress: false,
};
const REJECTED: Verdict = { ...ACCEPTED, accepted: false, reason: 'extension-ignored', layer: 'link-rules' };
const NOT_INDEXED: Verdict = { ...ACCEPTED, effects: { ...effects, index: false } };

const stored = (parts: Partial<UrlState> = {}): UrlState => ({
  id: 1,
  crawler: 'docs',
  url: 'http://a.example/x',
  hostKey: 'a.example',
  status: 'indexed',
  reason: 'indexed',
  source: REFRESH,
  dueAt: LATER,
  hops: 1,
  redirects: 0,
  discoveredVia: 'link',
  firstSeenAt: instant(0),
  temporaryErrors: 0,
  permanentError: false,
  visits: 1,
  changes: 0,
  inheritedMetas: [],
  stamp: 's',
  ...parts,
});
const absent = (parts: Partial<UrlState>): UrlState => stored({ stamp: undefined, ...parts });

const facts = (parts: Partial<UrlFacts> = {}): UrlFacts => ({
  verdict: ACCEPTED,
  robots: { state: 'allowed', agent: 'crawlway' },
  visits: [],
  orders: [],
  crawler: 'running',
  now: NOW,
  ...parts,
});
const order = (parts: Partial<OrderFacts>): OrderFacts => ({
  id: 12,
  kind: 'delete',
  reason: 'http-404',
  state: 'acknowledged',
  decidedAt: NOW,
  ...parts,
});
const visit = (outcome: string, detail?: string) => [{ at: NOW, outcome, detail }];
const host = (parts: Partial<NonNullable<UrlFacts['host']>>) => ({ paused: false, backOffUntil: instant(0), ...parts });

/** Each headline as `FATE REASON: TEXT > NEXT STEP`. */
const headlines = (...cases: readonly Partial<UrlFacts>[]): string[] =>
  cases.map((parts) => {
    const { fate, reason, text, nextStep } = createHeadline(facts(parts));
    return `${fate} ${reason}: ${text}${nextStep === undefined ? '' : ` > ${nextStep}`}`;
  });

describe('a URL that is not stored', () => {
  it('is explained by its deletion, the rules, robots.txt, a refused link, or by nothing that links to it', () => {
    expect(
      headlines(
        { orders: [order({ kind: 'add' }), order({})] },
        { orders: [order({ state: 'pending' })], verdict: REJECTED },
        { orders: [order({ state: 'refused' })] },
        { verdict: REJECTED },
        { verdict: { ...REJECTED, detail: '.exe is denied', place: { file: 'c.xml', line: 7, column: 1 } } },
        { verdict: { ...REJECTED, layer: undefined } },
        { verdict: REJECTED, link: { from: 'http://a.example/', verdict: REJECTED } },
        { robots: { state: 'disallowed', agent: 'crawlway' } },
        { robots: { state: 'disallowed', agent: '*', rule: 'Disallow: /x', line: 3 } },
        { refused: { from: 'http://a.example/', reason: 'extension-ignored' } },
        {},
        { verdict: NOT_INDEXED },
        { link: { from: 'http://a.example/', verdict: ACCEPTED } },
        { robots: undefined },
        { robots: undefined, verdict: NOT_INDEXED },
      ),
    ).toMatchInlineSnapshot(`
      [
        "not-in-index http-404: Not in the index: its document was deleted and the URL is no longer known. Reason: The page does not exist (404). > It will be rediscovered when a page that links to it is visited; submit it to crawl it now.",
        "not-in-index http-404: Not in the index: its document was deleted and the URL is no longer known. Reason: The page does not exist (404). > Remove the extension from \`ignoreLinksTo\` in LinkRules. It will be rediscovered when a page that links to it is visited; submit it to crawl it now.",
        "not-in-index never-linked: Not known: the configuration accepts it, but no page read so far links to it. > Link to it from a page that is crawled, list it in a sitemap, or submit it.",
        "not-in-index extension-ignored: Not crawled: the configuration rejects it: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index extension-ignored: Not crawled: the configuration rejects it: .exe is denied (link-rules, c.xml:7). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index extension-ignored: Not crawled: the configuration rejects it: The file extension is one of \`ignoreLinksTo\`. > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index extension-ignored: Not crawled: the link on http://a.example/ is refused: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index robots-disallowed: Not crawled: robots.txt disallows it for crawlway. > Ask the site to allow the agent; use \`ignoreRobotsTxt="true"\` only for sites of your own.",
        "not-in-index robots-disallowed: Not crawled: robots.txt disallows it for * (line 3: Disallow: /x). > Ask the site to allow the agent; use \`ignoreRobotsTxt="true"\` only for sites of your own.",
        "not-in-index extension-ignored: Not crawled: the link to it on http://a.example/ was refused (extension-ignored): The file extension is one of \`ignoreLinksTo\`. > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index never-linked: Not known: the configuration accepts it, but no page read so far links to it. > Link to it from a page that is crawled, list it in a sitemap, or submit it.",
        "not-in-index never-linked: Not known: the configuration accepts it, but no page read so far links to it. It would be read only for its links, not indexed. > Link to it from a page that is crawled, list it in a sitemap, or submit it.",
        "not-in-index never-linked: Not known: a link on http://a.example/ would be accepted, but none has been found there so far. > Link to it from a page that is crawled, list it in a sitemap, or submit it.",
        "on-its-way accepted: The configuration accepts it. No server was consulted, so it is not known whether the URL has been found, what robots.txt says or how its visits ended. > Start the server, or name it with --server, to find out what happened to the URL.",
        "on-its-way accepted: The configuration accepts it. It would be read only for its links, not indexed. No server was consulted, so it is not known whether the URL has been found, what robots.txt says or how its visits ended. > Start the server, or name it with --server, to find out what happened to the URL.",
      ]
    `);
  });
});

describe('a stored URL', () => {
  it('is first explained by an order that is held, awaiting, in flight or refused', () => {
    const indexed = { state: stored() };
    const unindexed = { state: absent({ status: 'waiting' }) };
    expect(
      headlines(
        { ...indexed, orders: [order({ state: 'acknowledged' }), order({ state: 'held' })] },
        { ...indexed, orders: [order({ state: 'awaiting', answer: 'awaiting-sign-of-life' })] },
        { ...indexed, orders: [order({ state: 'awaiting' })] },
        { ...indexed, orders: [order({ state: 'awaiting' }), order({ state: 'held' })] },
        { ...indexed, orders: [order({ kind: 'add', reason: 'changed', state: 'pending' })] },
        { ...unindexed, orders: [order({ kind: 'add', reason: 'indexed', state: 'pending', answer: '503' })] },
        { ...indexed, orders: [order({ state: 'pending' })] },
        { ...indexed, orders: [order({ state: 'pending', answer: '429' })] },
        { ...indexed, orders: [order({ state: 'refused', answer: 'too large.' })] },
        { ...indexed, orders: [order({ state: 'refused', kind: 'add', answer: 'too large' })] },
        { ...unindexed, orders: [order({ state: 'refused', kind: 'add' })] },
        { ...indexed, orders: [order({ state: 'acknowledged' }), order({ state: 'refused' })] },
      ),
    ).toMatchInlineSnapshot(`
      [
        "in-index held: In the index. Its deletion has been decided (http-404: The page does not exist (404)) and is held by the deletion guard until it is released or dropped. > Check a.example. If the page is really gone, release the held deletions of the host; if not, drop them, or wait: the deletion is cancelled when the page responds again.",
        "in-index awaiting-sign-of-life: In the index. Its page failed (http-404: The page does not exist (404)), but its deletion has not been sent yet: The deletion follows from a server fault and waits until the host serves a good page again. > Nothing to do: it is cancelled when the page responds again. Release it to delete the document now.",
        "in-index awaiting-sign-of-life: In the index. Its page failed (http-404: The page does not exist (404)), but its deletion has not been sent yet: The deletion follows from a server fault and waits until the host serves a good page again. > Nothing to do: it is cancelled when the page responds again. Release it to delete the document now.",
        "in-index held: In the index. Its deletion has been decided (http-404: The page does not exist (404)) and is held by the deletion guard until it is released or dropped. > Check a.example. If the page is really gone, release the held deletions of the host; if not, drop them, or wait: the deletion is cancelled when the page responds again.",
        "in-index changed: In the index, with a new version on its way: it was fetched, but a sink has not acknowledged the document yet. > If this does not change, check the state of the sinks.",
        "on-its-way indexed: On its way to the index: it was fetched, but a sink has not acknowledged the document yet. The sink's last response: 503. > If this does not change, check the state of the sinks.",
        "not-in-index http-404: On its way out of the index: The page does not exist (404); a sink has not acknowledged the deletion yet. > Fix or remove the links that lead to it.",
        "not-in-index http-404: On its way out of the index: The page does not exist (404); a sink has not acknowledged the deletion yet. The sink's last response: 429. > Fix or remove the links that lead to it.",
        "in-index order-refused: In the index: a sink refused its deletion: too large. > Fix the problem that the sink reports, then retry order 12.",
        "in-index order-refused: In the index: a sink refused the new version of its document: too large. > Fix the problem that the sink reports, then retry order 12.",
        "not-in-index order-refused: Not in the index: a sink refused its document: it gave no reason. > Fix the problem that the sink reports, then retry order 12.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z.",
      ]
    `);
  });

  it('is explained by a change that is held, with what its visit has found if that is still known', () => {
    const held = { state: stored(), orders: [order({ kind: 'add', reason: 'emptied', state: 'awaiting' })] };
    const [unknown, known] = headlines(held, { ...held, visits: visit('emptied', 'only 2 % remain.') });
    expect(unknown).toContain('would replace its document, but the change is held: ');
    expect(unknown).toMatch(/[^.]\. > /);
    expect(known).toBe(unknown!.replace(/\. > /, ' (only 2 % remain). > '));
  });

  it('is then explained by rules and robots.txt that reject it now', () => {
    const robots = { state: 'disallowed', agent: 'crawlway', rule: 'Disallow: /', line: 2 } as const;
    expect(
      headlines(
        { verdict: REJECTED, state: stored() },
        { verdict: REJECTED, state: absent({ status: 'excluded' }) },
        { verdict: { ...REJECTED, keepDocument: true }, state: stored() },
        { verdict: REJECTED, state: stored({ status: 'elsewhere' }) },
        { robots, state: stored() },
        { robots, state: absent({ status: 'excluded' }) },
      ),
    ).toMatchInlineSnapshot(`
      [
        "in-index extension-ignored: Still in the index, but about to be removed: the configuration now rejects it: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index extension-ignored: Not in the index: the configuration rejects it: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "in-index extension-ignored: In the index, and no longer crawled by this crawler: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "in-index extension-ignored: In the index, and no longer crawled by this crawler: The file extension is one of \`ignoreLinksTo\` (link-rules). > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "in-index robots-disallowed: Still in the index, but will be removed at its next visit: robots.txt disallows it for crawlway (line 2: Disallow: /). > Ask the site to allow the agent; use \`ignoreRobotsTxt="true"\` only for sites of your own.",
        "not-in-index robots-disallowed: Not in the index: robots.txt disallows it for crawlway (line 2: Disallow: /). > Ask the site to allow the agent; use \`ignoreRobotsTxt="true"\` only for sites of your own.",
      ]
    `);
  });

  it('that waits for its first visit is explained by what it waits for', () => {
    const state = absent({ status: 'waiting', source: INDEX, dueAt: NOW, visits: 0 });
    const robots = { state: 'unreachable', agent: 'crawlway', status: '503' } as const;
    expect(
      headlines(
        { state },
        { state: { ...state, source: undefined } },
        { state: { ...state, dueAt: LATER } },
        { state: { ...state, dueAt: LATER }, host: host({}) },
        { state, robots, host: host({ paused: true }) },
        { state, robots },
        { state, host: host({ backOffUntil: LATER }) },
        { state, host: host({ backOffUntil: NOW }) },
        { state, host: host({ closedUntil: LATER }) },
        { state, host: host({ closedUntil: NEVER }) },
        { state, crawler: 'paused' },
        { state, crawler: 'stopped' },
        { state, crawler: 'unknown' },
      ),
    ).toMatchInlineSnapshot(`
      [
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index, but is not due yet. Its next visit is at 2026-01-10T13:30:00Z.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index, but is not due yet. Its next visit is at 2026-01-10T13:30:00Z.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit, and a.example is paused. > Resume the host.",
        "on-its-way robots-unreachable: Not in the index yet: it is waiting for its first visit, and nothing is fetched from a.example until its robots.txt can be read (last response: 503). > Check the host; robots.txt is requested again every five minutes.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit, and no requests are sent to a.example until 2026-01-10T13:30:00Z because it failed or asked for a pause. > It will be visited then; refresh it to try once immediately.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit, and a.example is not crawled before 2026-01-10T13:30:00Z because of its schedule. > Nothing to do: its schedule (\`cw:Schedule\`) determines when it is crawled.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit, and a.example is never crawled because of its schedule. > Nothing to do: its schedule (\`cw:Schedule\`) determines when it is crawled.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index. The crawler is paused: nothing is fetched until it is started. > Start the crawler.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index. The crawler is stopped: nothing is fetched until it is started. > Start the crawler.",
        "on-its-way discovered: Not in the index yet: it is waiting for its first visit in the queue index.",
      ]
    `);
  });

  it('in the index says what is missing, and when it is visited next', () => {
    const rendering = stored({ reason: 'needs-rendering' });
    expect(
      headlines(
        { state: stored() },
        { state: stored({ dueAt: NOW }) },
        { state: stored({ dueAt: NEVER, source: undefined }) },
        { state: stored({ source: undefined }) },
        { state: stored(), host: host({ closedUntil: LATER }) },
        { state: stored({ dueAt: NOW }), host: host({ closedUntil: LATER }) },
        { state: stored({ source: undefined }), host: host({ closedUntil: instant(LATER + 1) }) },
        { state: stored({ dueAt: NOW }), host: host({ closedUntil: NEVER }) },
        { state: stored(), visits: visit('document', 'extract-timeout: it took too long.') },
        { state: stored(), visits: visit('document', 'render-timeout: 30 s') },
        { state: stored(), visits: visit('http-404', 'extract-timeout') },
        { state: rendering },
        { state: rendering, visits: visit('document', 'needs-rendering: 12 words.') },
        { state: stored(), crawler: 'paused' },
        { state: stored(), link: { from: 'http://a.example/', verdict: REJECTED } },
        { state: stored(), link: { from: 'http://a.example/', verdict: ACCEPTED } },
      ),
    ).toMatchInlineSnapshot(`
      [
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z.",
        "in-index indexed: In the index. It is due now.",
        "in-index indexed: In the index.",
        "in-index indexed: In the index.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z, when its schedule allows it.",
        "in-index indexed: In the index.",
        "in-index indexed: In the index. Its schedule never allows a visit.",
        "in-index indexed: In the index. Its text is missing (extract-timeout: it took too long). Its next visit is at 2026-01-10T13:30:00Z.",
        "in-index indexed: In the index. It was read as sent, without running its scripts (render-timeout: 30 s). Its next visit is at 2026-01-10T13:30:00Z.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z.",
        "in-index needs-rendering: In the index without its content: its content would come from scripts, which are not run. Its next visit is at 2026-01-10T13:30:00Z. > Set \`render="auto"\` on the crawler, or the option \`render-mode\` for these URLs, with Chromium on the server: see docs/rendering.md.",
        "in-index needs-rendering: In the index without its content: its content would come from scripts, which are not run (12 words). Its next visit is at 2026-01-10T13:30:00Z. > Set \`render="auto"\` on the crawler, or the option \`render-mode\` for these URLs, with Chromium on the server: see docs/rendering.md.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z. The crawler is paused: nothing is fetched until it is started.",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z. A new link on http://a.example/ would be refused: The file extension is one of \`ignoreLinksTo\` (link-rules).",
        "in-index indexed: In the index. Its next visit is at 2026-01-10T13:30:00Z.",
      ]
    `);
  });

  it('in error says how often it failed, why, and whether it is still in the index', () => {
    const failed = { status: 'error', reason: 'connect-timeout' } as const;
    expect(
      headlines(
        { state: stored({ ...failed, temporaryErrors: 1 }) },
        { state: absent({ ...failed, temporaryErrors: 2 }) },
        { state: absent({ ...failed, reason: 'http-404', permanentError: true }) },
        { state: absent({ ...failed, temporaryErrors: 1 }), visits: visit('connect-timeout', 'after 10 s.') },
        { state: absent({ ...failed, temporaryErrors: 1 }), visits: visit('http-404', 'after 10 s') },
        {
          state: absent({ ...failed, reason: 'http-404' }),
          visits: visit('http-404', 'the server responded with 404'),
        },
        { state: absent({ ...failed, reason: 'http-404' }), visits: visit('http-404', 'the server answered 404') },
        {
          state: absent({ ...failed, reason: 'http-404' }),
          visits: visit('http-404', 'the server responded with 404 twice'),
        },
      ),
    ).toMatchInlineSnapshot(`
      [
        "in-index connect-timeout: In the index, unchanged: its last visit failed (connect-timeout). No connection was made within the time allowed. Its next visit is at 2026-01-10T13:30:00Z. > Retried automatically.",
        "on-its-way connect-timeout: Not in the index: its last 2 visits failed (connect-timeout). No connection was made within the time allowed. Its next visit is at 2026-01-10T13:30:00Z. > Retried automatically.",
        "not-in-index http-404: Not in the index: its last visit failed (http-404). The page does not exist (404). Its next visit is at 2026-01-10T13:30:00Z. If it fails again, the URL is removed. > Fix or remove the links that lead to it.",
        "on-its-way connect-timeout: Not in the index: its last visit failed (connect-timeout). No connection was made within the time allowed (after 10 s). Its next visit is at 2026-01-10T13:30:00Z. > Retried automatically.",
        "on-its-way connect-timeout: Not in the index: its last visit failed (connect-timeout). No connection was made within the time allowed. Its next visit is at 2026-01-10T13:30:00Z. > Retried automatically.",
        "not-in-index http-404: Not in the index: its last visit failed (http-404). The page does not exist (404). Its next visit is at 2026-01-10T13:30:00Z. > Fix or remove the links that lead to it.",
        "not-in-index http-404: Not in the index: its last visit failed (http-404). The page does not exist (404). Its next visit is at 2026-01-10T13:30:00Z. > Fix or remove the links that lead to it.",
        "not-in-index http-404: Not in the index: its last visit failed (http-404). The page does not exist (404) (the server responded with 404 twice). Its next visit is at 2026-01-10T13:30:00Z. > Fix or remove the links that lead to it.",
      ]
    `);
  });

  it('that was removed is explained by its last visit', () => {
    const state = absent({ status: 'removed', reason: 'removed-after-errors', source: undefined, dueAt: NEVER });
    expect(
      headlines(
        { state },
        { state, visits: visit('document') },
        { state, visits: visit('http-404') },
        { state, visits: visit('http-404', 'not here.') },
      ),
    ).toMatchInlineSnapshot(`
      [
        "not-in-index removed-after-errors: Not in the index: The URL had two permanent errors in a row, or more temporary ones than \`maxTemporaryErrors\`: its status became removed, and it is no longer refreshed. It is retried when a live page that links to it is visited, whether or not that page has changed. > Fix the page: it is retried at the next visit to a page that links to it. To try again now, submit the URL.",
        "not-in-index removed-after-errors: Not in the index: The URL had two permanent errors in a row, or more temporary ones than \`maxTemporaryErrors\`: its status became removed, and it is no longer refreshed. It is retried when a live page that links to it is visited, whether or not that page has changed. > Fix the page: it is retried at the next visit to a page that links to it. To try again now, submit the URL.",
        "not-in-index removed-after-errors: Not in the index: it was given up after repeated errors, the last one at 2026-01-10T12:00:00Z: http-404: The page does not exist (404). It is retried when a page that links to it is visited, whether or not that page has changed. > Fix the page: it is retried at the next visit to a page that links to it. To try again now, submit the URL.",
        "not-in-index removed-after-errors: Not in the index: it was given up after repeated errors, the last one at 2026-01-10T12:00:00Z: http-404: The page does not exist (404) (not here). It is retried when a page that links to it is visited, whether or not that page has changed. > Fix the page: it is retried at the next visit to a page that links to it. To try again now, submit the URL.",
      ]
    `);
  });

  it('that redirects says where to, and what became of the target', () => {
    const state = absent({ status: 'redirected', reason: 'redirected' });
    const url = 'http://a.example/y';
    expect(
      headlines(
        { state },
        { state, related: { url } },
        { state, related: { url, state: absent({}) } },
        { state, related: { url, state: stored() } },
        { state, related: { url, refused: 'extension-ignored' } },
      ),
    ).toMatchInlineSnapshot(`
      [
        "not-in-index redirected: Not in the index under this address: it redirects. > Nothing to do, unless you want to link to the target directly.",
        "not-in-index redirected: Not in the index under this address: it redirects to http://a.example/y, which is not in the index. > Check http://a.example/y, which is crawled instead.",
        "not-in-index redirected: Not in the index under this address: it redirects to http://a.example/y, which is not in the index. > Check http://a.example/y, which is crawled instead.",
        "not-in-index redirected: Not in the index under this address: it redirects to http://a.example/y, which is in the index. > Check http://a.example/y, which is crawled instead.",
        "not-in-index redirected: Not in the index under this address: it redirects to http://a.example/y, which is refused (extension-ignored: The file extension is one of \`ignoreLinksTo\`). > To have http://a.example/y crawled: remove the extension from \`ignoreLinksTo\` in LinkRules.",
      ]
    `);
  });

  it('that was left out is explained by its last visit', () => {
    const url = 'http://a.example/y';
    const left = (reason: UrlState['reason'], status: UrlState['status'] = 'visited') => absent({ status, reason });
    expect(
      headlines(
        { state: left('noindex') },
        { state: left('noindex'), visits: visit('noindex', 'not indexed: noindex') },
        { state: left('noindex'), visits: visit('noindex', 'by X-Robots-Tag.') },
        { state: left('noindex'), visits: visit('document', 'by X-Robots-Tag') },
        { state: left('links-only') },
        { state: left('links-only'), verdict: NOT_INDEXED },
        { state: left('noindex'), verdict: NOT_INDEXED },
        { state: left('canonical-elsewhere'), related: { url } },
        { state: left('canonical-elsewhere'), related: { url, state: stored() } },
        { state: left('canonical-elsewhere'), related: { url, state: absent({}) } },
        { state: left('canonical-elsewhere') },
        { state: left('near-duplicate'), related: { url } },
        { state: left('near-duplicate') },
        { state: left('extension-ignored', 'filtered') },
        { state: left('extension-ignored', 'elsewhere') },
        { state: left('http-404', 'excluded') },
      ),
    ).toMatchInlineSnapshot(`
      [
        "not-in-index noindex: Not in the index: The page says noindex (robots meta tag or X-Robots-Tag). Its next visit is at 2026-01-10T13:30:00Z. > Remove noindex from the page if you want the page to be searchable.",
        "not-in-index noindex: Not in the index: The page says noindex (robots meta tag or X-Robots-Tag). Its next visit is at 2026-01-10T13:30:00Z. > Remove noindex from the page if you want the page to be searchable.",
        "not-in-index noindex: Not in the index: The page says noindex (robots meta tag or X-Robots-Tag) (by X-Robots-Tag). Its next visit is at 2026-01-10T13:30:00Z. > Remove noindex from the page if you want the page to be searchable.",
        "not-in-index noindex: Not in the index: The page says noindex (robots meta tag or X-Robots-Tag). Its next visit is at 2026-01-10T13:30:00Z. > Remove noindex from the page if you want the page to be searchable.",
        "not-in-index links-only: Not in the index: The page was read for its links; none of its content is indexed. Its next visit is at 2026-01-10T13:30:00Z.",
        "not-in-index links-only: Not in the index: The page was read for its links; none of its content is indexed. Its next visit is at 2026-01-10T13:30:00Z. > To have it indexed, change the rule with NoIndex that matches it (the policy below names it), or set \`defaultIndex="true"\`.",
        "not-in-index noindex: Not in the index: The page says noindex (robots meta tag or X-Robots-Tag). Its next visit is at 2026-01-10T13:30:00Z. > Remove noindex from the page if you want the page to be searchable.",
        "not-in-index canonical-elsewhere: Not in the index: the page names another URL as its canonical one: http://a.example/y, which is not in the index yet. Its next visit is at 2026-01-10T13:30:00Z. > Fix rel=canonical on the page if it is wrong.",
        "not-in-index canonical-elsewhere: Not in the index: the page names another URL as its canonical one: http://a.example/y, which is in the index. Its next visit is at 2026-01-10T13:30:00Z. > Fix rel=canonical on the page if it is wrong.",
        "not-in-index canonical-elsewhere: Not in the index: the page names another URL as its canonical one: http://a.example/y, which is not in the index yet. Its next visit is at 2026-01-10T13:30:00Z. > Fix rel=canonical on the page if it is wrong.",
        "not-in-index canonical-elsewhere: Not in the index: The page declares a different canonical URL, which is in the index or waiting for its first visit. Its next visit is at 2026-01-10T13:30:00Z. > Fix rel=canonical on the page if it is wrong.",
        "not-in-index near-duplicate: Not in the index: its text is nearly the same as that of http://a.example/y. Its next visit is at 2026-01-10T13:30:00Z. > Set \`nearDuplicateDetector="false"\` to index both, or \`nearDuplicateScope="domain"\` if they are of two sites.",
        "not-in-index near-duplicate: Not in the index: The text is nearly the same as that of another document in the index. Its next visit is at 2026-01-10T13:30:00Z. > Set \`nearDuplicateDetector="false"\` to index both, or \`nearDuplicateScope="domain"\` if they are of two sites.",
        "on-its-way extension-ignored: Not in the index: the configuration has just changed, and the URL is waiting to be judged again. Its next visit is at 2026-01-10T13:30:00Z. > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "on-its-way extension-ignored: Not in the index: the configuration has just changed, and the URL is waiting to be judged again. Its next visit is at 2026-01-10T13:30:00Z. > Remove the extension from \`ignoreLinksTo\` in LinkRules.",
        "not-in-index http-404: Not in the index: The page does not exist (404). Its next visit is at 2026-01-10T13:30:00Z.",
      ]
    `);
  });
});

it('a document whose text is short says why, and what can be done', () => {
  const state = stored({ reason: 'text-cut' });
  const [line] = headlines({ state, visits: visit('document', 'text-cut: after 1000000 characters.') as never });
  expect(line).toMatch(
    /^in-index text-cut: In the index with less text than it shows: .* \(after 1000000 characters\)\. /,
  );
  expect(line).toContain(' > ');
});
