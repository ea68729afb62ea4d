/** Builds the applications beside this file as their developers would: with the bundler, minified, in parts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import type { FakeSite } from '../../support/fake-site.js';

/** What is bundled lies beside this file's source, wherever that was compiled to. */
const SOURCES = new URL(
  import.meta.url.includes('/dist/') ? '../../../../test/rendering/applications/' : './',
  import.meta.url,
);

const svelte: Plugin = {
  name: 'svelte',
  async transform(code, id) {
    if (!id.endsWith('.svelte')) return undefined;
    const { compile } = await import('svelte/compiler');
    return { code: compile(code, { filename: id, generate: 'client' }).js.code, moduleType: 'js' };
  },
};

/** Constants that frameworks look for in a build. */
const DEFINED = {
  'process.env.NODE_ENV': '"production"',
  __VUE_OPTIONS_API__: 'false',
  __VUE_PROD_DEVTOOLS__: 'false',
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
};

async function build(entry: string, platform: 'browser' | 'node'): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, SOURCES)),
    platform,
    plugins: [svelte],
    transform: { define: DEFINED },
    logLevel: 'silent',
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, entryFileNames: 'main.js' });
    return output.filter((part) => part.type === 'chunk');
  } finally {
    await bundle.close();
  }
}

/** Puts the scripts of an application at `/scripts/` of a site; a page that loads them needs `SCRIPT`. */
export async function publishScripts(site: FakeSite, entry: string): Promise<void> {
  for (const { fileName, code } of await build(entry, 'browser'))
    site.set(`/scripts/${fileName}`, {
      headers: { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' },
      body: code,
    });
}

/** What the part of an application exports that runs on its server. */
export async function serverPart<T>(entry: string): Promise<T> {
  const [main] = await build(entry, 'node');
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-application-'));
  try {
    const file = join(folder, 'server.mjs');
    writeFileSync(file, main!.code);
    return (await import(pathToFileURL(file).href)) as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SCRIPT = '<script type="module" src="/scripts/main.js"></script>';

export const htmlPage = (root: string) => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>${SCRIPT}</head><body>${root}</body></html>`,
});

export const json = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
