import { expect, it } from 'vitest';
import type { PushDocument } from '../../domain/push/order.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { PageContent } from '../ports/page-reader.js';
import { createDocumentOutcome, toReadingView } from './page-facts.js';

const content: PageContent = { title: '', text: 'All jobs', links: [], metas: [], robotsMetas: [], truncated: false };
const document = (uri: string, text: string, parts?: PushDocument[]): PushDocument => ({
  uri,
  stamp: '',
  metas: [{ name: 'title', value: uri }],
  master: { bytes: Buffer.alloc(0), mimeType: 'text/html', fileName: '' },
  text,
  parts,
});

it('shows the documents that were split off a page, with at most 200,000 characters of text in total', () => {
  const parts = ['a', 'b', 'c'].map((id) => document(`http://h/#${id}`, id.repeat(150_000)));
  const { parts: shown } = toReadingView(content, document('http://h/', 'All jobs', parts));
  expect(shown!.map(({ uri, text, metas }) => [uri, text.length, metas[0]!.value])).toEqual([
    ['http://h/#a', 150_000, 'http://h/#a'],
    ['http://h/#b', 50_000, 'http://h/#b'],
    ['http://h/#c', 0, 'http://h/#c'],
  ]);
  expect(toReadingView(content, document('http://h/', 'All jobs'))).not.toHaveProperty('parts');
});

it('shows at most 200,000 characters of a text, and of its form in Markdown', () => {
  const long = 'x'.repeat(200_001);
  const shown = toReadingView({ ...content, text: long, markdown: long }, document('http://h/', long));
  expect([shown.text.length, shown.markdown!.length, shown.textLength]).toEqual([200_000, 200_000, 200_001]);
});

it.each([
  ['of twenty words', 'river '.repeat(20), true],
  ['of fewer', 'river '.repeat(19), false],
  ['of fewer that reports an outage', 'We are down for maintenance.', true],
])('a sketch is kept of a text %s', (_, text, isKept) => {
  const definition = { changeGuard: { on: true }, leaveOut: {}, probeErrorPages: 'never' };
  const page = {
    url: toCrawlUrl('http://h/'),
    task: {},
    effects: { index: true, options: {} },
    context: { definition },
  };
  const read = {
    content: { ...content, text },
    mediaType: 'text/html',
    response: { headers: {}, body: Buffer.alloc(9) },
  };
  const terms = { metas: [], directives: { archive: true } };
  const parameters = [page, read, document('http://h/', text), terms, undefined];
  const { facts } = createDocumentOutcome(...(parameters as never as Parameters<typeof createDocumentOutcome>));
  expect(facts.textSketch !== undefined).toBe(isKept);
});
