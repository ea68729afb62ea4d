import { expect, it } from 'vitest';
import { canRestoreItself, chooseBackfillSource } from './backfill.js';
import { SINK_TYPES, type SinkType } from './sink-types.js';

const sink = (type: SinkType, rest: object = {}) => ({
  name: `${type}-${Object.keys(rest)}`,
  type,
  options: {},
  ...rest,
});
const types = Object.keys(SINK_TYPES) as SinkType[];
const keeping = (kept: string) => types.filter((type) => SINK_TYPES[type].keeps === kept);

it('a sink whose documents are files is filled only from one that keeps them', () => {
  const texts = keeping('text').map((type) => sink(type));
  const files = keeping('bytes').map((type) => sink(type));
  expect(texts.length * files.length).toBeGreaterThan(0);
  for (const type of ['warc', 'papi'] as const) {
    const target = sink(type, { name: 'target' });
    expect(chooseBackfillSource(target, texts), type).toBeUndefined();
    expect(chooseBackfillSource(target, [...texts, ...files]), type).toBe(files[0]);
  }
});

it('a sink of texts is filled from any that keeps documents as they were sent, best from one that keeps the files', () => {
  const target = sink('solr', { name: 'target' });
  const [text, file] = [sink(keeping('text')[0]!), sink(keeping('bytes')[0]!)];
  expect(chooseBackfillSource(target, [text])).toBe(text);
  expect(chooseBackfillSource(target, [text, file])).toBe(file);
  for (const changed of [
    { ...text, map: {} },
    { ...text, options: { pipeline: 'p' } },
    { ...text, name: 'target' },
  ])
    expect(chooseBackfillSource(target, [changed])).toBeUndefined();
});

it('what keeps texts restores itself unless a pipeline reads the files', () => {
  const type = keeping('text')[0]!;
  expect(canRestoreItself(sink(type))).toBe(true);
  expect(canRestoreItself(sink(type, { options: { pipeline: 'p' } }))).toBe(false);
  expect(keeping('nothing').some((one) => canRestoreItself(sink(one)))).toBe(false);
});
