/** Configurations read from a text, without rule files or with those of a test. */
import { readConfiguration } from '../../src/adapters/config-xml/read.js';

/** Attributes of the root element, for the namespaces. */
export const HEAD = 'xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21"';

export function fileOf(files: Readonly<Record<string, string>>, name: string): string {
  const text = files[name];
  if (text === undefined) throw new Error(`no file ${name}`);
  return text;
}

const noFiles = (name: string): string => fileOf({}, name);

export const read = (xml: string, env: Record<string, string> = {}) =>
  readConfiguration(xml, { file: 'CrawlConfig.xml', env, readFile: noFiles });
