/** Server records: values written in Parameters hold for the records after them; those of a file end with the file. */
import type { ServerParameters, ServerRecord, ServersDefinition } from '../../../domain/crawl/definition.js';
import { parseIndexerConf } from '../../../domain/policy/indexer-conf.js';
import { is, type Node } from '../interpret.js';
import { PLACEHOLDER } from '../placeholder.js';
import * as policy from '../schema/policy.js';
import type { ReadContext } from './context.js';

export function readServers(node: ServersNode, context: ReadContext): ServersDefinition {
  const file = readIndexerConf(node, context);
  const records: ServerRecord[] = [...(file?.records ?? [])];
  let inForce: ServerParameters | undefined;
  for (const child of node.children) {
    if (child.broken) continue;
    if (is(child, policy.PARAMETERS)) inForce = { ...inForce, ...given(child.values) };
    else if (is(child, policy.SERVER)) {
      const { url, ...parameters } = child.values;
      records.push({ url, place: child.place, parameters: { ...inForce, ...given(parameters) } });
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

function readIndexerConf({ values, place }: ServersNode, context: ReadContext): ServersDefinition | undefined {
  if (values.file === undefined) return undefined;
  const text = context.readFile(values.file, place, 'server-records');
  if (text === undefined) return undefined;
  refusePlaceholders(text, values.file, context);
  const parsed = parseIndexerConf(text, values.file);
  for (const problem of parsed.problems) context.problems.take(problem);
  return parsed.servers;
}

function refusePlaceholders(text: string, file: string, { problems }: ReadContext): void {
  for (const [index, line] of text.split('\n').entries()) {
    const at = line.indexOf(PLACEHOLDER);
    if (at < 0 || /^\s*#/.test(line)) continue;
    const place = { file, line: index + 1, column: at + 1 };
    problems.add('bad-rule-file', 'asterisks stand for a secret that is not shown: write it here again', place);
  }
}

const given = (parameters: ServerParameters): ServerParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
