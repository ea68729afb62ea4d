/** `crawlway new plugin`: writes a plug-in to start from. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toFileError } from '../server/fail.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { type JsonOption, printJson } from './output.js';

interface NewPluginOptions extends JsonOption {
  readonly config?: string;
}

/** `crawlway new plugin NAME`: writes a plug-in to start from, and prints the configuration element that names it. */
export function createPlugin(name: string, options: NewPluginOptions): void {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw new UsageError(`${name} is not a valid plug-in name: use at most 64 letters, digits, - and _`);
  const configurationFile = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  const path = `plugins/${name}.mjs`;
  const file = join(process.env['CRAWLWAY_PLUGINS'] || dirname(configurationFile), path);
  if (existsSync(file)) throw new UsageError(`${file} already exists`);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, PLUGIN);
  } catch (error) {
    throw toFileError(file, 'written', error);
  }
  const element = `<cw:Plugin file="${path}"/>`;
  if (options.json) printJson({ file, element });
  else process.stdout.write(`Wrote ${file}.\nAdd it to CrawlConfig in ${configurationFile}:\n  ${element}\n`);
}

const PLUGIN = `// A Crawlway plug-in. Delete the functions that you do not need; all of them are described in docs/plugins.md.
// The server reloads this file when it changes.

let settings = {};

/** @type {import('crawlway/plugin').Plugin} */
export default {
  apiVersion: 1,
  version: '1',

  /** Called once, before everything else; the settings are the cw:Setting elements of the configuration. */
  setup(context) {
    settings = context.settings;
  },

  /** Called before a page is requested: \`exclude\` is why not to request it, \`headers\` are sent with the request. */
  onUrl({ url }) {
    return settings.without && url.includes(settings.without) ? { exclude: \`its URL contains \${settings.without}\` } : undefined;
  },

  /**
   * Called when a page has been read. Returns metas to add or remove (null), a different text, or why not to index it.
   */
  onDocument({ text }) {
    return { metas: { words: String(text.split(/\\s+/).filter(Boolean).length) } };
  },
};
`;
