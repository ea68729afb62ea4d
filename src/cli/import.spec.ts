import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { importConfiguration } from './import.js';

beforeEach(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

const job = `<httpcollector><crawlers><crawler id="a"><startURLs stayOnDomain="true"><url>http://a.example/bücher/</url></startURLs></crawler></crawlers></httpcollector>`;

it.each([
  ['UTF-16, by its mark', Buffer.from(`\uFEFF${job}`, 'utf16le')],
  ['the encoding of its declaration', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${job}`, 'latin1')],
])('a file is read in %s', async (_, bytes) => {
  const folder = temporaryDirectory();
  const [path, out] = [join(folder, 'c.xml'), join(folder, 'out.xml')];
  writeFileSync(path, bytes);
  await importConfiguration('norconex', [path], { out, field: 'url' });
  expect(readFileSync(out, 'utf8')).toContain('<Root url="http://a.example/bücher/"');
});

it('hidden files of a folder are none of the configuration', async () => {
  const folder = temporaryDirectory();
  const out = join(temporaryDirectory(), 'out.xml');
  writeFileSync(join(folder, 'crawl.rules'), 'allow domain a.example\nhttp://a.example/\n');
  writeFileSync(join(folder, '.DS_Store'), 'http://b.example/\n');
  await importConfiguration('omnifind', [folder], { out, field: 'url' });
  expect(readFileSync(out, 'utf8')).not.toContain('b.example');
});

it('a hyphen is no name of a file to write', async () => {
  const path = join(temporaryDirectory(), 'crawl.rules');
  writeFileSync(path, 'allow domain a.example\nhttp://a.example/\n');
  await expect(importConfiguration('omnifind', [path], { out: '-', field: 'url' })).rejects.toThrow(
    '--out needs the name of a file: the report is written to standard output',
  );
});
