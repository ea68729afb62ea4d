/** What imported configurations accept, judged by the product's own policy. */
import { expect } from 'vitest';
import { convert } from '../../import/index.js';
import type { ImportFile, ImportReport } from '../../import/model.js';
import type { Verdict } from '../../src/domain/policy/verdict.js';
import { compileContexts } from '../../src/engine/page/crawl-context.js';
import { XML_FORMAT } from '../../src/server/engine.module.js';

export const SITE = 'https://www.example.com';

export const file = (name: string, text: string): ImportFile => ({ name, text });

/** Imports files and loads the result, which must have no error. */
export function importAndLoad(format: string, ...files: ImportFile[]) {
  const { xml, report, copies } = convert(format, files);
  const readFile = (name: string): string => copies.find((copy) => copy.name === name)?.text ?? '';
  const { definition, problems } = XML_FORMAT.read(xml, { file: 'imported.xml', readFile });
  const errors = problems.filter(({ severity, code }) => severity === 'error' && code !== 'missing-variable');
  expect(errors).toEqual([]);
  if (!definition) throw new Error('no definition');
  return { xml, report, definition, problems };
}

/** What the imported configuration says of links on the home page: a path of SITE, or a URL. */
export function judges(format: string, ...files: ImportFile[]): (path: string) => Verdict[] {
  const { definition } = importAndLoad(format, ...files);
  const contexts = [...compileContexts(definition).values()];
  return (path) =>
    contexts.map((context) => {
      const url = context.canonicalize(path.startsWith('http') ? path : SITE + path)!;
      const root = [...context.roots.values()][0];
      return context.policy.judge({ url, discoveredVia: 'link', root, hops: 1 });
    });
}

export function accepts(format: string, ...files: ImportFile[]): (path: string) => boolean {
  const judge = judges(format, ...files);
  return (path) => judge(path).some(({ accepted }) => accepted);
}

/** Expects what is accepted. */
export const verdicts = (accepted: (url: string) => boolean, urls: Readonly<Record<string, boolean>>) =>
  expect(Object.fromEntries(Object.keys(urls).map((url) => [url, accepted(url)]))).toEqual(urls);

/** The places and settings of one kind of lines of a report. */
export const linesOf = (report: ImportReport, kind: string): string[] =>
  report.lines.filter((line) => line.kind === kind).map(({ setting, place }) => `${place ?? ''} ${setting}`.trim());
