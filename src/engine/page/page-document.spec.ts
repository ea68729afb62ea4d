import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { PushDocument } from '../../domain/push/order.js';
import { after, milliseconds, seconds } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { type AsyncStep, BUILT_IN_STEPS, type DocumentStep, type FetchedPage } from './document-steps.js';
import { NO_CONTENT } from './extraction.js';
import { buildDocument } from './page-document.js';

const clock = new ManualClock();
const PAGE = {
  url: toCrawlUrl('http://a/x.txt'),
  task: { now: clock.now(), crawler: 'test', inheritedMetas: [] },
  effects: { metas: [] },
  status: 200,
  headers: {},
  body: new Uint8Array([65]),
  mediaType: 'text/plain',
  content: { ...NO_CONTENT, text: 'A', fields: [{ name: 'pages', value: '3' }] },
  noArchive: false,
  terms: [],
  textOnly: false,
  wantsText: true,
  wantsBytes: true,
} as unknown as FetchedPage;

const built = (more: readonly DocumentStep[] = [], content = PAGE.content) =>
  buildDocument(
    { ...PAGE, content },
    {
      clock,
      steps: [...BUILT_IN_STEPS, ...more],
      digest: (content) => hash('sha256', content, 'hex'),
    },
  );

const step = (run: AsyncStep['run']): AsyncStep => ({
  kind: 'async',
  name: 'price',
  timeLimit: seconds(1),
  failure: 'parse-timeout',
  run,
});

it('a document that needs built-in steps only is ready synchronously, with the fields of its content', () => {
  const document = built();
  expect(document).not.toBeInstanceOf(Promise);
  expect(document).toMatchObject({ text: 'A', metas: expect.arrayContaining([{ name: 'pages', value: '3' }]) });
});

it('what an asynchronous step adds is delivered, and is part of the content hash', async () => {
  const price = step(async ({ contentMetas: lasting }) => {
    await null;
    lasting.push({ name: 'price', value: '7' });
  });
  const seen: string[] = [];
  const last: DocumentStep = {
    kind: 'sync',
    name: 'last',
    run: ({ contentMetas: lasting }) => seen.push(lasting.at(-1)!.name),
  };
  const document = await built([price, last]);
  expect(seen).toEqual(['price']);
  expect(document.metas).toContainEqual({ name: 'price', value: '7' });
  const without = built();
  expect(without).toMatchObject({ stamp: expect.not.stringMatching(document.stamp) });
});

it('a step that fails or takes too long ends in its own error code', async () => {
  const error = { code: 'parse-timeout', message: 'the step price failed: Error: no price' };
  await expect(built([step(() => Promise.reject(new Error('no price')))])).rejects.toMatchObject(error);
  const late = built([step(() => new Promise(() => undefined))]);
  const refused = expect(late).rejects.toMatchObject({ message: 'the step price took longer than 1 s' });
  clock.advanceTo(after(clock.now(), milliseconds(1_000)));
  await refused;
});

it('what a step adds after its end is not in the document', async () => {
  const { promise: isLate, resolve: finish } = Promise.withResolvers<void>();
  const hasty = step(async ({ contentMetas, headMetas, visitMetas }) => {
    await null;
    for (const metas of [contentMetas, headMetas, visitMetas]) metas.push({ name: 'price', value: '7' });
    void isLate.then(() => {
      for (const metas of [contentMetas, headMetas, visitMetas]) metas.push({ name: 'late', value: 'yes' });
    });
  });
  const last = step(async () => {
    finish();
    await isLate;
    await null;
  });
  const { metas } = await built([hasty, last]);
  expect(metas).toContainEqual({ name: 'price', value: '7' });
  expect(metas).not.toContainEqual({ name: 'late', value: 'yes' });
});

it.each(['author', 'dc.creator'])('the author is named by the meta %s', (name) => {
  const metas = ['generator', name, 'keywords'].map((one) => ({ name: one, value: `${one} of it` }));
  expect(built([], { ...PAGE.content, metas })).toMatchObject({
    metas: expect.arrayContaining([{ name: 'author', value: `${name} of it` }]),
  });
});

const idsOf = (chunks: readonly (readonly [heading: string, text: string])[], uri = 'http://a/x'): string[] => {
  const content = {
    ...NO_CONTENT,
    text: 'A',
    chunks: chunks.map(([heading, text], start) => ({ path: [heading], text, start, end: start + text.length })),
  };
  const page = { ...PAGE, url: toCrawlUrl(uri), mediaType: 'text/html', content };
  const document = buildDocument(page, { clock, steps: BUILT_IN_STEPS, digest: (text) => hash('sha256', text, 'hex') });
  return (document as PushDocument).chunks!.map(({ id }) => id!);
};

it('chunks have ids that stay when the page changes around them, when they move, and when lines are broken', () => {
  const [use, care, same, again] = idsOf([
    ['Use', 'Lift it.'],
    ['Care', 'Keep it dry.'],
    ['Care', 'Oil.'],
    ['Care', 'Oil.'],
  ]);
  expect(new Set([use, care, same, again]).size).toBe(4);
  expect(
    idsOf([
      ['Care', 'Keep it\ndry.'],
      ['New', 'Rust.'],
      ['Use', 'Lift it.'],
      ['Care', 'Oil.'],
    ]),
  ).toEqual([care, expect.stringMatching(/^[0-9a-f]{64}$/), use, same]);
});

it('chunks have other ids below a renamed heading, with another text and on another page', () => {
  const [id] = idsOf([['Use', 'Lift it.']]);
  expect(
    idsOf([
      ['Usage', 'Lift it.'],
      ['Use', 'Lift.'],
    ]),
  ).not.toContain(id);
  expect(idsOf([['Use', 'Lift it.']], 'http://a/y')).not.toContain(id);
});
