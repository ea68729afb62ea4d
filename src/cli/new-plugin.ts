/** `crawlway new plugin NAME`: a plug-in to begin with, and the line of the configuration that names it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toFileError } from '../server/fail.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { type JsonOption, printJson } from './output.js';

interface NewPluginOptions extends JsonOption {
  readonly config?: string;
}

export function createPlugin(name: string, options: NewPluginOptions): void {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw new UsageError(`${name} is not a name for a plug-in: use at most 64 letters, digits, - and _`);
  const configuration = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  const path = `plugins/${name}.mjs`;
  const file = join(process.env['CRAWLWAY_PLUGINS'] || dirname(configuration), path);
  if (existsSync(file)) throw new UsageError(`${file} exists already`);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, TEMPLATE);
  } catch (error) {
    throw toFileError(file, 'written', error);
  }
  const element = `<cw:Plugin file="${path}"/>`;
  if (options.json) printJson({ file, element });
  else process.stdout.write(`Wrote ${file}.\nName it in ${configuration}, inside CrawlConfig:\n  ${element}\n`);
}

const TEMPLATE = `// A plug-in of Crawlway. Delete the functions that you do not need; all of them are described in docs/PLUGINS.md.
// The server loads this file again when it changes.

let settings = {};

/** @type {import('crawlway/plugin').Plugin} */
export default {
  apiVersion: 1,
  version: '1',

  /** Once, before everything else: the cw:Setting elements of the configuration. */
  setup(context) {
    settings = context.settings;
  },

  /** Before a page is asked for: \`exclude\` says why it is not, \`headers\` are sent with the request. */
  onUrl({ url }) {
    return settings.without && url.includes(settings.without) ? { exclude: \`its URL has \${settings.without}\` } : undefined;
  },

  /** When a page was read: metas to add or to take away (null), another text, or why it is not indexed. */
  onDocument({ text }) {
    return { metas: { words: String(text.split(/\\s+/).filter(Boolean).length) } };
  },
};
`;
