/** Documents as LibreOffice writes them: `apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui`. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { DocumentFacts } from '../../support/sample-documents.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const run = promisify(execFile);

/** Why there are none; undefined when there are. */
export const officeIsMissing = (): string | undefined =>
  spawnSync('soffice', ['--version'], { stdio: 'ignore' }).status === 0 ? undefined : 'LibreOffice is not installed';

/** What each program of the office writes, by file extension. */
const WRITES = {
  text: ['docx', 'odt', 'rtf', 'pdf', 'epub', 'doc'],
  spreadsheet: ['xlsx', 'ods', 'xls'],
  presentation: ['pptx', 'odp', 'ppt'],
} as const;
type Kind = keyof typeof WRITES;
export const OFFICE_EXTENSIONS = Object.values(WRITES).flat();
const LEGACY = new Set(['doc', 'xls', 'ppt']);
export const LEGACY_EXTENSIONS = OFFICE_EXTENSIONS.filter((extension) => LEGACY.has(extension));

const SPACES = [
  ...['office', 'text', 'table', 'meta', 'presentation'].map((name) => [name, `${name}:1.0`]),
  ['draw', 'drawing:1.0'],
  ['svg', 'svg-compatible:1.0'],
]
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}"`)
  .join(' ');
const OTHERS = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"';

const BODIES: Readonly<Record<Kind, (paragraphs: string) => string>> = {
  text: (paragraphs) => paragraphs,
  spreadsheet: (paragraphs) =>
    `<table:table table:name="Birds"><table:table-row><table:table-cell office:value-type="string">${paragraphs}</table:table-cell></table:table-row></table:table>`,
  presentation: (paragraphs) =>
    `<draw:page><draw:frame svg:width="20cm" svg:height="10cm" svg:x="1cm" svg:y="1cm"><draw:text-box>${paragraphs}</draw:text-box></draw:frame></draw:page>`,
};

function flatDocument(kind: Kind, { title, author, text, link, date }: DocumentFacts): string {
  const paragraphs = `<text:p>${text}</text:p><text:p><text:a xlink:type="simple" xlink:href="${link}">More</text:a></text:p>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${SPACES} ${OTHERS} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">
<office:meta><dc:title>${title}</dc:title><meta:initial-creator>${author}</meta:initial-creator><dc:creator>${author}</dc:creator>
<meta:creation-date>${date.replace('Z', '')}</meta:creation-date></office:meta>
<office:body><office:${kind}>${BODIES[kind](paragraphs)}</office:${kind}></office:body></office:document>`;
}

const FLAT: Readonly<Record<Kind, string>> = { text: 'fodt', spreadsheet: 'fods', presentation: 'fodp' };

/** One document of each extension; takes some seconds. */
export async function officeDocuments(
  extensions: readonly string[],
  facts: (extension: string) => DocumentFacts,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = temporaryDirectory();
  const profile = pathToFileURL(join(folder, 'profile')).href;
  const made = new Map<string, Uint8Array>();
  for (const [kind, writes] of Object.entries(WRITES) as [Kind, readonly string[]][]) {
    for (const extension of writes.filter((written) => extensions.includes(written))) {
      const source = join(folder, extension);
      mkdirSync(source);
      const file = join(source, `document.${FLAT[kind]}`);
      writeFileSync(file, flatDocument(kind, facts(extension)));
      const flags = [
        `-env:UserInstallation=${profile}`,
        '--headless',
        '--convert-to',
        extension,
        '--outdir',
        source,
        file,
      ];
      await run('soffice', flags, { timeout: 240_000, env: { ...process.env, TZ: 'UTC' } });
      made.set(extension, readFileSync(join(source, `document.${extension}`)));
    }
  }
  return made;
}
