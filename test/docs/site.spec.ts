import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { XML_FORMAT } from '../../src/server/engine.module.js';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { findShownPictures } from '../support/shown-pictures.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { filesIn } from './how-to.js';

const script = new URL('../../scripts/docs.mjs', import.meta.url).href;
interface Section {
  readonly href: string;
  readonly heading: string;
  readonly text: string;
}
const MAX_PICTURE_BYTES = 100_000;
const { SECTIONS, buildSite, searchSections } = (await import(script)) as {
  readonly SECTIONS: readonly (readonly [string, readonly string[]])[];
  buildSite(folder: string): void;
  searchSections(
    query: string,
    sections: readonly Section[],
  ): readonly (Omit<Section, 'text'> & { readonly excerpt: string })[];
};

it('every link of the documentation site leads to a page, a picture or a heading that exists', () => {
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
  expect(pages.filter((name) => !text.get(name)!.includes('<link rel="icon"'))).toEqual([]);
  for (const file of ['prometheus-alerts.yaml', 'grafana-dashboard.json'])
    expect(text.get('operations.html')).toContain(`href="${file}"`);
  expect(pages.length).toBeGreaterThan(15);
});

it('the pictures are small and those that a page shows, and the names of pages follow one habit', () => {
  const docs = join(PROJECT_ROOT, 'docs');
  const pictures = readdirSync(join(docs, 'screenshots'));
  expect(pictures.sort()).toEqual([...findShownPictures(docs)].sort());
  expect(pictures.filter((name) => statSync(join(docs, 'screenshots', name)).size > MAX_PICTURE_BYTES)).toEqual([]);
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  expect(pages.filter((name) => !/^[a-z]+(?:-[a-z]+)*\.md$/.test(name))).toEqual([]);
});

it('the index of the decisions names every subject, in their order', () => {
  const pages = ['decisions.md', 'decisions-delivery.md', 'decisions-operation.md'];
  const texts = pages.map((name) => readFileSync(join(PROJECT_ROOT, 'docs', name), 'utf8'));
  const subjects = texts.flatMap((text) => Array.from(text.matchAll(/^##+ (.*)$/gm), ([, subject]) => subject));
  expect(Array.from(texts[0]!.matchAll(/^\| \[([^\]]+)\]\(/gm), ([, subject]) => subject)).toEqual(subjects);
});

it('the search finds words of the text below a heading, and ranks words of a heading first', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  const sections = JSON.parse(readFileSync(join(folder, 'search.json'), 'utf8')) as readonly Section[];
  const [first] = searchSections('acknowledge durable', sections);
  expect(first).toMatchObject({ href: 'glossary.html#glossary', excerpt: expect.stringContaining('acknowledge') });
  expect(sections.some(({ heading }) => /acknowledge/i.test(heading))).toBe(false);
  expect(searchSections('exit code', sections)[0]?.href).toBe('command-line.html#command-line');
  const [{ heading = '' } = {}] = searchSections('deletion guard', sections);
  expect(heading.toLowerCase()).toContain('guard');
  expect(searchSections('no-such-word', sections)).toEqual([]);
  expect(searchSections('  ', sections)).toEqual([]);
});

it('each screen of the console links to a page that exists', async () => {
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
  for (const name of ['SITE', 'SEARCH']) vi.stubEnv(`CRAWLWAY_ENV_${name}`, 'www.example.com');
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

const pageIn = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

it('the menu has every page once, under a heading that says what it is about', () => {
  const files = readdirSync(join(PROJECT_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  expect(SECTIONS.flatMap(([, names]) => names).toSorted()).toEqual([...files, 'index.md'].toSorted());
});

it('a long page starts with a table of contents, and each page links to the next one of the menu', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  expect(pageIn(folder, 'operations.html')).toMatch(/<\/h1>\s*<div class="parts">.*<a href="#backup">Backup<\/a>/s);
  expect(pageIn(folder, 'reference.html')).toMatch(/<div class="parts">.*<a href="#cwsink">cw:Sink<\/a>/s);
  expect(pageIn(folder, 'tutorial.html')).toContain('<a rel="next" href="concepts.html">Concepts →</a>');
  expect(pageIn(folder, 'index.html')).not.toContain('rel="prev"');
});

it('a link whose text is the name of a file has the title of its page instead', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  expect(pageIn(folder, 'reference.html')).toContain(
    'How pages are rendered (<a href="rendering.html">Pages made by scripts</a>)',
  );
});

it('a query whose words few sections all have also finds sections with most of them', () => {
  const folder = temporaryDirectory();
  buildSite(folder);
  const sections = JSON.parse(pageIn(folder, 'search.json')) as readonly Section[];
  const hrefs = (query: string) => searchSections(query, sections).map(({ href }) => href);
  expect(hrefs('crawl every night').slice(0, 5)).toContain('schedules.html#schedules');
  expect(hrefs('How do I back up?').slice(0, 5).join()).toMatch(/backup/);
  expect(hrefs('why is my page missing').slice(0, 5).join()).toMatch(/why-is-a-page-missing/);
});
