/** Reads plug-ins. Users who may change the configuration must not be able to run arbitrary files on the machine. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, extname, resolve, sep } from 'node:path';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { PluginDefinition } from '../../../domain/crawl/plugin-definition.js';
import { Secret } from '../../../domain/secret.js';
import { suggestSpelling } from '../../../domain/spelling.js';
import { findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as schema from '../schema/plugin.js';
import type { ReadContext } from './context.js';

/**
 * Extensions of modules. The API cannot write files with these extensions, because rule files and the files of sinks
 * have different ones.
 */
const EXTENSIONS = ['.mjs', '.js', '.mts', '.ts'];

export function readPlugins(
  root: Node,
  { problems }: ReadContext,
  folder: string | undefined,
): Pick<ServerDefinition, 'plugins'> {
  const plugins = findValidChildren(root, schema.PLUGIN).map((node): PluginDefinition => {
    const { file, name, crawlers, timeLimitMS, memoryLimitBytes, onFailure } = node.values;
    const fault = folder === undefined ? undefined : findFileFault(file, folder);
    if (fault) problems.add('bad-value', `Plugin: the attribute file is not valid: ${fault}`, node.place);
    return {
      name: name ?? basename(file, extname(file)),
      file: folder === undefined ? file : resolve(folder, file),
      place: node.place,
      ...(crawlers ? { crawlers } : {}),
      timeLimit: timeLimitMS,
      memoryLimit: memoryLimitBytes,
      onFailure,
      settings: findValidChildren(node as Node, schema.SETTING).map(({ element, values }) => ({
        name: values.name,
        // A value that comes from outside the configuration is treated as a secret.
        value: element.attributes.some(({ local, value }) => local === 'value' && value.includes('${'))
          ? new Secret(values.value)
          : values.value,
      })),
    };
  });
  return plugins.length === 0 ? {} : { plugins };
}

function findFileFault(file: string, folder: string): string | undefined {
  if (!EXTENSIONS.includes(extname(file).toLowerCase())) return `specify a file that ends in ${EXTENSIONS.join(', ')}`;
  const base = resolve(folder);
  const path = resolve(base, file);
  const isBelow = (inner: string, outer: string): boolean =>
    inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
  if (!isBelow(path, base)) return `specify a file in or below ${base}, the folder for plug-ins (CRAWLWAY_PLUGINS)`;
  if (!existsSync(path)) return `${file} does not exist in the folder for plug-ins`;
  if (!isBelow(realpathSync(path), realpathSync(base)))
    return `${file} is a link that leads out of the folder for plug-ins; specify the file itself`;
  return undefined;
}

/** Reports duplicate names, and references to crawlers and plug-ins that do not exist. */
export function checkPlugins({ plugins = [], crawlers, sinks }: ServerDefinition, problems: Problems): void {
  const names = plugins.map(({ name }) => name);
  for (const [index, { name, place }] of plugins.entries()) {
    if (names.indexOf(name) === index) continue;
    problems.add('duplicate-name', `there is more than one Plugin ${name}: give each its own name`, place);
  }
  // Missing names have already been reported.
  const knownCrawlers = crawlers.map(({ name }) => name).filter(Boolean);
  for (const { crawlers: crawlerNames = [], place } of plugins) {
    for (const name of crawlerNames)
      if (!knownCrawlers.includes(name))
        problems.add(
          'unknown-reference',
          `there is no Crawler named ${name}${suggestSpelling(name, knownCrawlers)}`,
          place,
        );
  }
  for (const { type, url, place } of sinks) {
    const name = url.slice('plugin:'.length);
    if (type === 'plugin' && !names.includes(name))
      problems.add('unknown-reference', `there is no Plugin named ${name}${suggestSpelling(name, names)}`, place);
  }
}
