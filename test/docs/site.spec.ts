import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { XML_FORMAT } from '../../src/server/engine.module.js';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { filesIn } from './how-to.js';

const script = new URL('../../scripts/docs.mjs', import.meta.url).href;
interface Section {
  readonly href: string;
  readonly heading: string;
  readonly text: string;
}
const { buildSite, sectionsWith } = (await import(script)) as {
  buildSite(folder: string): void;
  sectionsWith(
    query: string,
    sections: readonly Section[],
  ): readonly (Omit<Section, 'text'> & { readonly excerpt: string })[];
};

it('every link of the documentation site leads to a page, a picture or a heading that is there', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  const files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const pages = [...files].filter((name) => name.endsWith('.html'));
  const text = new Map(pages.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const broken = [...text].flatMap(([name, html]) =>
    [...html.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, link = '']) => {
      if (/^(?:https?:|mailto:)/.test(link)) return [];
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? name : file;
      const found = files.has(target) && (anchor === undefined || text.get(target)?.includes(` id="${anchor}"`));
      return found ? [] : [`${name}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
  expect(pages.length).toBeGreaterThan(15);
});

it('the search finds words of the text below a heading, and those of a heading first', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  const sections = JSON.parse(readFileSync(join(folder, 'search.json'), 'utf8')) as readonly Section[];
  const [first] = sectionsWith('acknowledge durable', sections);
  expect(first).toMatchObject({ href: 'glossary.html#glossary', excerpt: expect.stringContaining('acknowledge') });
  expect(sections.some(({ heading }) => /acknowledge/i.test(heading))).toBe(false);
  expect(sectionsWith('codes exit', sections)[0]?.href).not.toMatch(/^decisions/);
  const [{ heading = '' } = {}] = sectionsWith('deletion guard', sections);
  expect(heading.toLowerCase()).toContain('guard');
  expect(sectionsWith('no-such-word', sections)).toEqual([]);
  expect(sectionsWith('  ', sections)).toEqual([]);
});

it('each screen of the console leads to a page that is there', async () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  const source = readFileSync(join(PROJECT_ROOT, 'console/src/ui/help.ts'), 'utf8');
  const links = [...source.matchAll(/'([\w-]+\.html)(?:#([\w-]+))?'/g)];
  const broken = links.filter(([, file = '', anchor]) => {
    const html = readFileSync(join(folder, file), 'utf8');
    return anchor !== undefined && !html.includes(` id="${anchor}"`);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
  expect(links.length).toBeGreaterThan(10);
});

it('every whole configuration in the documentation is free of errors and warnings', () => {
  vi.stubEnv('CRAWLWAY_SECRET_ES', 'x');
  vi.stubEnv('CRAWLWAY_SECRET_PASSWORD', 'x');
  const folder = join(PROJECT_ROOT, 'docs');
  const blocks = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const readFile = (file: string): string => filesIn(text).get(file) ?? '';
      return [...text.matchAll(/```xml\n([\s\S]*?)```/g)].map(([, xml = '']) => ({ name, xml, readFile }));
    })
    .filter(({ xml }) => xml.startsWith('<CrawlConfig'));
  // Whether there is a browser is up to the machine.
  const problems = blocks
    .flatMap(({ name, xml, readFile }) => XML_FORMAT.read(xml, { file: name, readFile }).problems)
    .filter(({ code }) => code !== 'no-browser');
  vi.unstubAllEnvs();
  expect(problems.map(({ place, message }) => `${place.file}:${place.line} ${message}`)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(5);
});
