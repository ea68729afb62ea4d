/**
 * The table of all elements and attributes of CrawlConfig.xml. The reader uses it, and the XML Schema and
 * docs/reference.md are generated from it. Its parts are in the folder schema.
 */
import * as acl from './schema/acl.js';
import * as content from './schema/content.js';
import * as crawl from './schema/crawl.js';
import * as errors from './schema/errors.js';
import * as logins from './schema/logins.js';
import * as plugin from './schema/plugin.js';
import * as policy from './schema/policy.js';
import * as rules from './schema/rules.js';
import * as schedule from './schema/schedule.js';
import * as server from './schema/server.js';
import * as sink from './schema/sink.js';
import type { ElementSpec } from './schema/spec.js';
import * as webhook from './schema/webhook.js';

const isElement = (value: unknown): value is ElementSpec =>
  typeof value === 'object' && value !== null && 'vocabulary' in value;

const allSpecs = [crawl, rules, policy, errors, schedule, content, acl, server, plugin, sink, webhook, logins].flatMap(
  (part) => Object.values<unknown>(part).flat().filter(isElement),
);

/** Every element by name, in the order of the reference. */
export const ELEMENTS: ReadonlyMap<string, ElementSpec> = new Map(allSpecs.map((spec) => [spec.name, spec]));

export function getElementSpec(name: string): ElementSpec {
  const spec = ELEMENTS.get(name);
  if (!spec) throw new Error(`the table has no element ${name}`);
  return spec;
}
