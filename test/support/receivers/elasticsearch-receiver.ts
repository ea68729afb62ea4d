import { type Exchange, type HttpReceiver, type Reply, startReceiver } from './http-receiver.js';

type Source = Record<string, unknown> & { uri: string; title: string };

interface Action {
  readonly kind: 'index' | 'delete';
  readonly id: string;
  readonly index: string;
  readonly source?: Source;
}

export interface ElasticsearchReceiver extends HttpReceiver {
  /** By document id. */
  readonly documents: ReadonlyMap<string, Source>;
  /** What the index was made with; undefined while there is none. */
  readonly settings: () =>
    | { mappings: { properties: Record<string, { type?: string; properties?: object }> } }
    | undefined;
  /** Documents of another program, by id. */
  readonly foreign: Map<string, Record<string, unknown>>;
  /** The indexes that have the alias `web`. */
  readonly aliasIndexes: Set<string>;
  /** The other indexes from which a document was deleted, once for each deletion. */
  readonly deletedElsewhere: readonly string[];
  /** Deletes the index with its documents; the next bulk request creates it again. */
  deleteIndex(): void;
  /** Creates the index in place of what is there. */
  create(settings: ReturnType<ElasticsearchReceiver['settings']>): void;
  /** Points in time that were opened and not closed. */
  readonly openPits: ReadonlySet<string>;
}

/**
 * The part of Elasticsearch (or OpenSearch) that a connector meets, with its strictness: bulk bodies are checked line by
 * line, a title that holds `bad` fails its mapping, one that holds `busy` is rejected with 429.
 */
export async function startElasticsearchReceiver(
  dialect: 'elasticsearch' | 'opensearch',
  index: string,
): Promise<ElasticsearchReceiver> {
  const documents = new Map<string, Source>();
  const openPits = new Set<string>();
  let settings: ReturnType<ElasticsearchReceiver['settings']>;
  const aliasIndexes = new Set<string>();
  const deletedElsewhere: string[] = [];
  const foreign = new Map<string, Record<string, unknown>>();
  let scroll: object[] = [];
  let template: typeof settings;
  let generation = 0;
  const create = (body: typeof settings): void => {
    settings = body;
    generation++;
  };
  let searchable: Source[] = [];

  const routes: Record<string, (exchange: Exchange) => Reply> = {
    [`HEAD /${index}`]: () => ({ status: settings ? 200 : 404 }),
    [`PUT /${index}`]: ({ body }) => {
      create(JSON.parse(body.toString()));
      return { status: 200, body: { acknowledged: true } };
    },
    [`GET /${index}`]: () =>
      settings
        ? {
            status: 200,
            body: { [index]: { settings: { index: { uuid: `uuid-${generation}` } }, mappings: settings.mappings } },
          }
        : { status: 404, body: { error: 'index_not_found_exception' } },
    [`POST /${index}/_count`]: ({ body }) => {
      const counted = JSON.parse(body.toString()).query.exists ? documents : foreign;
      return { status: 200, body: { count: counted.size } };
    },
    [`POST /${index}/_search`]: ({ body }) => {
      const { query, size } = JSON.parse(body.toString());
      const ids: readonly string[] | undefined = query.bool.filter?.[0].terms._id;
      if (ids) return toPage(ids.flatMap((id) => documents.get(id) ?? []).map((source) => ({ _source: source })));
      scroll = [...foreign].map(([id, source]) => ({ _id: id, _source: source }));
      return toPage(scroll.splice(0, size), 'scroll');
    },
    'POST /_search/scroll': () => toPage(scroll.splice(0, 500), 'scroll'),
    'DELETE /_search/scroll': () => ({ status: 200, body: {} }),
    [`GET /_alias/${ALIAS}`]: () =>
      aliasIndexes.size === 0
        ? { status: 404, body: { error: 'alias is missing' } }
        : { status: 200, body: Object.fromEntries([...aliasIndexes].map((name) => [name, {}])) },
    'POST /_aliases': ({ body }) => {
      const { actions } = JSON.parse(body.toString()) as { actions: Record<'add' | 'remove', { index: string }>[] };
      for (const { add, remove } of actions)
        if (add) aliasIndexes.add(add.index);
        else aliasIndexes.delete(remove.index);
      return { status: 200, body: { acknowledged: true } };
    },
    [`GET /_alias/${index}`]: () => ({ status: 404 }),
    [`PUT /_index_template/crawlway-${index}`]: ({ body }) => {
      template = JSON.parse(body.toString()).template;
      return { status: 200, body: { acknowledged: true } };
    },
    'POST /_bulk': ({ headers, body }) => {
      if (headers['content-type'] !== 'application/x-ndjson') return { status: 406, body: 'wrong content type' };
      if (!settings) create(template ?? DYNAMIC_MAPPING);
      const items = bulkActions(body.toString(), index, (name, id) => aliasIndexes.has(name) || foreign.has(id)).map(
        (action) => {
          if (foreign.delete(action.id)) return { delete: { _id: action.id, status: 200 } };
          if (action.index === index) return apply(action, documents);
          deletedElsewhere.push(action.index);
          return { delete: { _id: action.id, status: 200 } };
        },
      );
      return { status: 200, body: { took: 1, errors: false, items } };
    },
    [`POST /${index}/_refresh`]: ({ body }) => {
      if (body.length > 0) return { status: 400, body: { error: 'does not support having a body' } };
      searchable = [...documents.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
      return { status: 200, body: {} };
    },
    'POST /_search': ({ body }) => searchPage(JSON.parse(body.toString()), searchable, openPits),
    ...pitRoutes(dialect, index, openPits),
  };
  const receiver = await startReceiver((exchange) => {
    const route = routes[`${exchange.method} ${exchange.path}`];
    return route
      ? route(exchange)
      : { status: 405, body: { error: `no handler for ${exchange.method} ${exchange.path}` } };
  });
  const deleteIndex = (): void => {
    settings = undefined;
    documents.clear();
  };
  return {
    ...receiver,
    documents,
    openPits,
    settings: () => settings,
    deleteIndex,
    create,
    aliasIndexes,
    deletedElsewhere,
    foreign,
  };
}

const toPage = (hits: readonly object[], id?: string): Reply => ({
  status: 200,
  body: { _scroll_id: id, hits: { hits } },
});

const ALIAS = 'web';

/** How the engine maps the fields of an index that it creates without a template. */
const DYNAMIC_MAPPING = { mappings: { properties: { uri: { type: 'text' }, stamp: { type: 'text' } } } };

function bulkActions(body: string, index: string, isOfOthers: (index: string, id: string) => boolean): Action[] {
  if (!body.endsWith('\n')) throw new Error('The bulk request must be terminated by a newline [\\n]');
  const lines = body.slice(0, -1).split('\n');
  const actions: Action[] = [];
  for (let line = 0; line < lines.length; ) {
    const entry = Object.entries(JSON.parse(lines[line++] ?? ''))[0] as [
      Action['kind'],
      { _index: string; _id: string },
    ];
    const [kind, { _index, _id: id }] = entry;
    const isForeign = kind === 'delete' && isOfOthers(_index, id);
    if (!isForeign && (_index !== index || !/^[0-9a-f]{64}$/.test(id))) throw new Error(`bad action on line ${line}`);
    const action = { kind, id, index: _index };
    actions.push(kind === 'delete' ? action : { ...action, source: JSON.parse(lines[line++] ?? '') });
  }
  return actions;
}

function apply({ kind, id, source }: Action, documents: Map<string, Source>): object {
  if (kind === 'delete') return { delete: { _id: id, status: documents.delete(id) ? 200 : 404 } };
  if (!source) throw new Error('an index action without a source');
  if (source.title.includes('busy'))
    return {
      index: { _id: id, status: 429, error: { type: 'es_rejected_execution_exception', reason: 'queue is full' } },
    };
  if (source.title.includes('bad'))
    return {
      index: { _id: id, status: 400, error: { type: 'document_parsing_exception', reason: 'cannot parse title' } },
    };
  documents.set(id, source);
  return { index: { _id: id, status: 201 } };
}

interface SearchBody {
  size: number;
  sort: [{ uri: 'asc' }];
  pit: { id: string; keep_alive: string };
  search_after?: [string];
}

function searchPage({ size, pit, search_after: after }: SearchBody, sources: Source[], openPits: Set<string>): Reply {
  if (!openPits.has(pit.id) || !pit.keep_alive) return { status: 404, body: { error: 'no such point in time' } };
  const rest = sources.filter(({ uri }) => after === undefined || uri > after[0]);
  const hits = rest.slice(0, size).map(({ uri, stamp }) => ({ _source: { uri, stamp }, sort: [uri] }));
  return { status: 200, body: { pit_id: pit.id, hits: { hits } } };
}

function pitRoutes(
  dialect: string,
  index: string,
  openPits: Set<string>,
): Record<string, (exchange: Exchange) => Reply> {
  const open = (field: string) => (exchange: Exchange) => {
    if (!exchange.query.get('keep_alive')) return { status: 400, body: 'keep_alive is missing' };
    const id = `pit-${openPits.size}`;
    openPits.add(id);
    return { status: 200, body: { [field]: id } };
  };
  const close = (idOf: (body: { id: string; pit_id: string[] }) => string | undefined) => (exchange: Exchange) => {
    const closed = openPits.delete(idOf(JSON.parse(exchange.body.toString())) ?? '');
    return { status: closed ? 200 : 404, body: {} };
  };
  if (dialect === 'elasticsearch')
    return { [`POST /${index}/_pit`]: open('id'), 'DELETE /_pit': close(({ id }) => id) };
  return {
    [`POST /${index}/_search/point_in_time`]: open('pit_id'),
    'DELETE /_search/point_in_time': close((body) => body.pit_id[0]),
  };
}
