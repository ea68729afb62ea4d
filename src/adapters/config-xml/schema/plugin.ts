/** Plug-ins. */
import * as t from '../value-types.js';
import { attribute, createElementFactory, mebibytesToBytes } from './spec.js';

const element = createElementFactory('cw');

export const PLUGIN = element(
  'Plugin',
  'Your own module that takes part in the crawl (docs/plugins.md). It runs in its own process.',
  {
    file: attribute(
      t.trimInput(t.text),
      'Path of the module, a .mjs, .js, .mts or .ts file below the folder of the configuration (or CRAWLWAY_PLUGINS).',
      { required: true },
    ),
    name: attribute(t.name, 'Name. Default: the file name without its extension.'),
    crawlers: attribute(t.listOf(t.name), 'Crawlers whose URLs, pages and orders the plug-in sees. Default: all.'),
    timeLimitMS: attribute(t.durationMs(10), 'Maximum time for one call.', { default: '5000', unit: 'ms' }),
    memoryLimitBytes: attribute(
      t.integer(128 * 1024 * 1024),
      'Maximum memory of the plug-in process, of which Node itself uses 80 MB.',
      {
        default: mebibytesToBytes(256),
        unit: 'bytes',
      },
    ),
    onFailure: attribute(
      t.enumeration(['fail', 'skip']),
      'What happens to a page or an order when the plug-in fails: `fail`: the page is visited again later (`plugin-failed`), the order is refused; `skip`: both continue as if the plug-in did not exist.',
      { default: 'fail' },
    ),
  },
  { children: ['Setting'] },
);

export const SETTING = element('Setting', 'A value that is passed to the plug-in in `setup`.', {
  name: attribute(t.name, 'Name.', { required: true }),
  value: attribute(t.text, 'Value.', { required: true, variables: true }),
});
