/**
 * Reads server records: values in Parameters apply to the records after them; values set in a file apply only to the
 * file.
 */
import type { RootDefinition } from '../../../domain/crawl/definition.js';
import type { ServerParameters, ServerRecord, ServersDefinition } from '../../../domain/crawl/policy-definition.js';
import { type IndexerConf, parseIndexerConf } from '../../../domain/policy/indexer-conf.js';
import { findEncodingProblem } from '../../../domain/policy/not-utf8.js';
import { Secret } from '../../../domain/secret.js';
import { isOfKind, type Node } from '../interpret.js';
import { PLACEHOLDER } from '../placeholder.js';
import type { Problems } from '../problems.js';
import * as policy from '../schema/policy.js';
import type { ReadContext } from './context.js';

export function readServers(node: ServersNode, context: ReadContext): ServersDefinition {
  const file = readIndexerConf(node, context);
  const records: ServerRecord[] = [...(file?.records ?? [])];
  let inForce: ServerParameters | undefined;
  /** Applies to the next record only. */
  let login: Secret | undefined;
  for (const child of node.children) {
    if (child.broken) continue;
    if (isOfKind(child, policy.PARAMETERS)) {
      const { authentication, ...others } = child.values;
      inForce = { ...inForce, ...omitUndefined(others) };
      login = authentication === undefined ? login : new Secret(authentication);
    } else if (isOfKind(child, policy.SERVER)) {
      const { url, authentication, ...parameters } = child.values;
      if (authentication !== undefined) login = new Secret(authentication);
      const own = login === undefined ? {} : { authentication: login };
      records.push({ url, place: child.place, parameters: { ...inForce, ...own, ...omitUndefined(parameters) } });
      login = undefined;
    }
  }
  return {
    followOutside: node.values.followOutside ?? file?.followOutside ?? false,
    deleteNoServer: node.values.deleteNoServer ?? file?.deleteNoServer ?? true,
    records,
    defaults: inForce ?? file?.defaults ?? {},
    place: node.place,
  };
}

type ServersNode = Node<typeof policy.SERVERS.attributes>;

function readIndexerConf(node: ServersNode, context: ReadContext): ServersDefinition | undefined {
  const { values, place } = node;
  if (values.file === undefined) return undefined;
  const text = context.readFile(values.file, place, 'server-records');
  if (text === undefined) return undefined;
  const encoding = findEncodingProblem(text, values.file);
  if (encoding) {
    context.problems.addFound(encoding);
    return undefined;
  }
  refusePlaceholders(text, values.file, context);
  const parsed = parseIndexerConf(text, values.file);
  for (const problem of parsed.problems) context.problems.addFound(problem);
  refuseEmptyFile(node, parsed, context);
  return parsed.servers;
}

/**
 * Refuses a file without servers: if it lost them because of an editor or a full disk, every document of the crawler
 * would be deleted.
 */
function refuseEmptyFile(
  { values, children }: ServersNode,
  { servers, problems }: IndexerConf,
  context: ReadContext,
): void {
  const open = (values.followOutside ?? servers.followOutside) || !(values.deleteNoServer ?? servers.deleteNoServer);
  const written = children.some((child) => child.spec.name === policy.SERVER.name);
  if (open || written || servers.records.length > 0 || problems.some(({ severity }) => severity === 'error')) return;
  const message = `${values.file} has no Server command: nothing would be crawled, and what is indexed would be deleted. If that is intended, remove the attribute file from Servers`;
  context.problems.add('bad-rule-file', message, servers.place);
}

function refusePlaceholders(text: string, file: string, { problems }: ReadContext): void {
  for (const [index, line] of text.split('\n').entries()) {
    const at = line.indexOf(PLACEHOLDER);
    if (at < 0 || /^\s*#/.test(line)) continue;
    const place = { file, line: index + 1, column: at + 1 };
    problems.add('bad-rule-file', 'asterisks stand for a secret that is not shown: write it here again', place);
  }
}

const omitUndefined = (parameters: ServerParameters): ServerParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));

/**
 * mnoGoSearch begins at the URLs of its Server commands. Here, a crawler with a Root begins at its roots, and one
 * without at its records.
 */
export function createRootsFromServers(
  crawler: Node,
  servers: ServersDefinition | undefined,
  problems: Problems,
): RootDefinition[] {
  if (!servers) return [];
  const roots = new Map<string, RootDefinition>();
  for (const { url, place } of servers.records) {
    const parsed = /^https?:\/\/[^/?#*]+/i.test(url) ? URL.parse(url) : null;
    if (parsed) roots.set(parsed.href, { ...START, url: parsed.href, place });
  }
  if (roots.size === 0 && servers.deleteNoServer && !problems.hasErrors) {
    const message =
      'the crawler has no Root, and no Server that names a host: nothing is crawled until a URL is submitted; write <Root url="http://host/" site="false"/>';
    problems.add('no-effect', message, crawler.place);
  }
  return [...roots.values()];
}

/** Site mode is off because the records say how far links are followed. */
const START = { site: false, entireSite: false, priority: 0, metas: [], followLinks: true } as const;
