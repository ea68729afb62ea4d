/** Server records: values written in Parameters hold for the records after them. */
import type { ServerParameters, ServerRecord, ServersDefinition } from '../../../domain/crawl/definition.js';
import { is, type Node } from '../interpret.js';
import * as policy from '../schema/policy.js';

export function readServers(node: Node<typeof policy.SERVERS.attributes>): ServersDefinition {
  const records: ServerRecord[] = [];
  let inForce: ServerParameters = {};
  for (const child of node.children) {
    if (child.broken) continue;
    if (is(child, policy.PARAMETERS)) inForce = { ...inForce, ...given(child.values) };
    else if (is(child, policy.SERVER)) {
      const { url, ...parameters } = child.values;
      records.push({ url, place: child.place, parameters: { ...inForce, ...given(parameters) } });
    }
  }
  const { followOutside, deleteNoServer } = node.values;
  return { followOutside, deleteNoServer, records, defaults: inForce, place: node.place };
}

const given = (parameters: ServerParameters): ServerParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
