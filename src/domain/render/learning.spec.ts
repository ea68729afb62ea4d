import { expect, it } from 'vitest';
import { milliseconds } from '../time/units.js';
import { RenderLearning } from './learning.js';
import type { RenderReport } from './report.js';

const HOST = 'shop.example';
const page = (number: number): string => `https://${HOST}/articles/${number}`;
const otherPage = (number: number): string => `https://${HOST}/products/${number}`;
const reportOf = (text: number): RenderReport => ({
  time: milliseconds(100),
  requests: 0,
  ownRequests: 0,
  refused: {},
  plain: { text: 100, links: 1 },
  rendered: { text, links: 1 },
});

/** `text`: number of characters after rendering, when 100 were sent; undefined if nothing could be compared. */
function end(learning: RenderLearning, url: string, text?: number): void {
  if (text !== undefined) learning.recordRendering(HOST, url, reportOf(text));
  learning.endTrial(HOST, url, text !== undefined);
}

const next = (learning: RenderLearning, ...urls: readonly string[]) =>
  urls.map((url) => learning.decideRendering(HOST, url));

it('tries no more pages of a pattern at a time than are needed to decide; the others wait', () => {
  const learning = new RenderLearning();
  expect(next(learning, page(1), page(2), page(3), page(4))).toEqual(['try', 'try', 'try', 'wait']);
  expect(next(learning, otherPage(1))).toEqual(['try']);
  end(learning, page(1), 100);
  expect(next(learning, page(4))).toEqual(['wait']);
  end(learning, page(2), 100);
  end(learning, page(3), 100);
  expect(next(learning, page(4))).toEqual(['plain']);
});

it('renders the pages that waited where rendering brought more', () => {
  const learning = new RenderLearning();
  next(learning, page(1), page(2), page(3));
  for (const number of [1, 2, 3]) end(learning, page(number), 1_000);
  expect(next(learning, page(4), page(5))).toEqual(['render', 'render']);
});

it('tries another page in place of one that could not be compared', () => {
  const learning = new RenderLearning();
  next(learning, page(1), page(2), page(3));
  end(learning, page(1));
  expect(next(learning, page(4), page(5))).toEqual(['try', 'wait']);
});

it('lets no page wait any longer where pages of the pattern cannot be compared', () => {
  const learning = new RenderLearning();
  next(learning, page(1), page(2), page(3));
  for (const number of [1, 2, 3]) end(learning, page(number));
  expect(next(learning, page(4), page(5), page(6), page(7))).toEqual(['try', 'try', 'try', 'try']);
});

it('tries one page of a new pattern on a host where rendering has brought nothing so far', () => {
  const learning = new RenderLearning();
  for (let number = 1; number <= 12; number++) learning.recordRendering(HOST, page(number), reportOf(100));
  expect(next(learning, otherPage(1), otherPage(2))).toEqual(['try', 'wait']);
  end(learning, otherPage(1), 100);
  expect(next(learning, otherPage(2))).toEqual(['plain']);
});

it('renders one in fifty pages of a pattern that is known to be plain', () => {
  const learning = new RenderLearning();
  for (const number of [1, 2, 3]) learning.recordRendering(HOST, page(number), reportOf(100));
  const choices = next(learning, ...Array.from({ length: 100 }, (_, number) => page(number)));
  expect(choices.filter((choice) => choice === 'render')).toHaveLength(2);
});
