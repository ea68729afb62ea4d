import { type Exchange, type HttpReceiver, type Reply, startReceiver } from './http-receiver.js';

type SolrDocument = Record<string, unknown> & { id: string };

export interface SolrReceiver extends HttpReceiver {
  /** What a crash now would leave: everything up to the last hard commit. */
  readonly committed: () => ReadonlyMap<string, SolrDocument>;
  /** Somebody deletes all documents, or puts an empty core in its place. */
  readonly empty: () => void;
}

const FIELD = /^(id|\w+_(s|ss|t|txt|is|ds|dts))$/;

/** The part of a Solr core that a connector meets: `/update` with JSON, hard commits, `/select` with a cursor. */
export async function startSolrReceiver(core: string): Promise<SolrReceiver> {
  const pending = new Map<string, SolrDocument>();
  let committed: ReadonlyMap<string, SolrDocument> = new Map();
  let searchable: SolrDocument[] = [];

  const update = ({ headers, query, body }: Exchange): Reply => {
    if (headers['content-type'] !== 'application/json') return failure(415, 'Unsupported ContentType');
    const problem = applyUpdate(JSON.parse(body.toString()), pending);
    if (problem) return failure(400, problem);
    if (query.get('commit') === 'true') {
      committed = new Map(pending);
      if (query.get('openSearcher') !== 'false')
        searchable = [...committed.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    return { status: 200, body: { responseHeader: { status: 0 } } };
  };

  const select = ({ query }: Exchange): Reply => {
    if (query.get('rows') === '0')
      return { status: 200, body: { response: { numFound: searchable.length, docs: [] } } };
    if (query.get('sort') !== 'id asc')
      return failure(400, 'Cursor functionality requires a sort containing a uniqueKey field');
    const cursor = query.get('cursorMark') ?? '';
    const rest = searchable.filter(({ id }) => cursor === '*' || id > cursor);
    const docs = rest.slice(0, Number(query.get('rows'))).map(({ id, stamp_s }) => ({ id, stamp_s }));
    return { status: 200, body: { response: { docs }, nextCursorMark: docs.at(-1)?.id ?? cursor } };
  };

  const receiver = await startReceiver((exchange) => {
    const route = `${exchange.method} ${exchange.path}`;
    if (route === `POST /solr/${core}/update`) return update(exchange);
    return route === `GET /solr/${core}/select` ? select(exchange) : failure(404, 'Not Found');
  });
  const empty = (): void => {
    pending.clear();
    committed = new Map();
    searchable = [];
  };
  return { ...receiver, committed: () => committed, empty };
}

const failure = (status: number, msg: string): Reply => ({ status, body: { error: { code: status, msg } } });

/** Like Solr, stops at the first bad document and keeps those before it. */
function applyUpdate(
  update: SolrDocument[] | { delete?: string[] },
  pending: Map<string, SolrDocument>,
): string | undefined {
  if (!Array.isArray(update)) {
    for (const id of update.delete ?? []) pending.delete(id);
    return undefined;
  }
  for (const document of update) {
    const unknown = Object.keys(document).find((name) => !FIELD.test(name));
    if (!document.id) return 'Document is missing mandatory uniqueKey field: id';
    if (unknown) return `ERROR: [doc=${document.id}] unknown field '${unknown}'`;
    if (document.id.includes('bad')) return `ERROR: [doc=${document.id}] immense term`;
    pending.set(document.id, document);
  }
  return undefined;
}
