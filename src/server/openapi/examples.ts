/**
 * Adds an example, built from the schemas, to every request and response of the API description. The example of a
 * property is declared at the property, or here under its name if it means the same everywhere. A test fails if a
 * property has neither.
 */
import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE } from '../http/problem.js';

type SchemaObject = Exclude<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string], { $ref: string }>;

type Schema = Omit<SchemaObject, 'examples'> & {
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
};
type SchemaOrRef = Schema | { readonly $ref: string };

const PAGE_URL = 'https://www.example.com/docs/start.html';
const MOMENT = '2026-03-02T08:15:30.000Z';
const LATER_MOMENT = '2026-03-09T08:15:30.000Z';
const CONFIGURATION =
  '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20"><Crawler name="docs"/></CrawlConfig>';

/** Examples by the name of the property or parameter, one for each type that it has. */
const EXAMPLES_BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  ...repeatExample(
    MOMENT,
    'at visitedSince createdAt decidedAt answeredAt firstSeenAt lastVisitAt lastChangeAt fetchedAt startedAt',
  ),
  ...repeatExample(MOMENT, 'lastSuccessAt lastAttemptAt oldest oldestDueAt endedAt'),
  ...repeatExample(LATER_MOMENT, 'dueAt nextRequestAt nextAttemptAt backOffUntil expiresAt until visitedBefore'),
  ...repeatExample(PAGE_URL, 'url uri foundOn sample targetUrl'),
  ...repeatExample('https://www.example.com/', 'root prefix keyLocation'),
  ...repeatExample('docs', 'crawler source'),
  ...repeatExample('www.example.com', 'host hostKey'),
  ...repeatExample('search', 'sink'),
  ...repeatExample(1, 'attempts redirects number index priorityShift shift column level new rejected imported maxHops'),
  ...repeatExample(2, 'hops visits changes line picks concurrencyPerHost temporaryErrors parts refused'),
  ...repeatExample(
    3,
    'id count start active errors lastHour waiting awaiting pending others slowPages waitingVisits documentsDeleted',
  ),
  ...repeatExample(12, 'judged urls documents lastDay hosts pages orders queued known pendingOrders depth'),
  ...repeatExample(42, 'total indexed done sent compared acknowledged end textLength milliseconds'),
  ...repeatExample(2048, 'pendingBytes'),
  ...repeatExample(0.5, 'seconds durationSeconds averageLatencySeconds visitPriceSeconds successShare searched'),
  ...repeatExample(2.5, 'pagesPerSecond errorsPerSecond ordersPerSecond throttleSeconds crawlDelaySeconds weight'),
  ...repeatExample(30, 'connectTimeoutSeconds totalTimeoutSeconds readTimeoutSeconds'),
  ...repeatExample(
    86_400,
    'upToSeconds periodSeconds changeIntervalSeconds refreshMinimumAgeSeconds errorExpirySeconds',
  ),
  ...repeatExample(604_800, 'maximumAgeSeconds refreshMaximumAgeSeconds'),
  ...repeatExample(['https://www.example.com/a.html'], 'samples'),
  ...repeatExample(0, 'failures'),
  ...repeatExample(7, 'requests links rendered'),
  ...repeatExample(0.9, 'worthwhile'),
  added: [['A sentence that a script has added.']],
  lost: [['Please turn on JavaScript.']],
  lostLinks: [['https://www.example.com/b.html']],
  pattern: ['/product/N'],
  address: ['192.0.2.7'],
  after: ['{"paused":true}'],
  agent: ['crawlway'],
  answer: ['document_parsing_exception: cannot parse title'],
  before: ['{"paused":false}'],
  byHost: [{ 'www.example.com': 3 }],
  byStatus: [{ indexed: 42, waiting: 12 }],
  code: ['unknown-element'],
  concurrency: [10],
  connector: ['crawlway'],
  contentType: ['text/html'],
  counts: [{ indexed: 42, waiting: 12, error: 3 }],
  crawlers: [['docs']],
  createdBy: ['admin'],
  provider: ['Example staff'],
  cut: [['Cookie notice']],
  detail: ['the server responded with 404'],
  effect: ['index=no'],
  encoding: ['utf-8'],
  errorClasses: [{ 'http-404': 3 }],
  errorsByCode: [{ 'http-404': 3 }],
  etag: ['"5f2b"'],
  fetcher: ['default'],
  file: ['CrawlConfig.xml'],
  fileName: ['start.html'],
  files: [{ 'crawl.rules': 'allow domain example.com' }],
  aliases: [['Urls']],
  children: [['Rule']],
  choices: [['true', 'false']],
  default: ['false'],
  form: ['`true` or `false`'],
  namespace: ['exa:com.exalead.mercury.mami.crawl.v20'],
  unit: ['milliseconds'],
  urlList: [['https://www.example.com/a.html']],
  follow: [2, true],
  group: ['intranet'],
  headers: [['X-Team: search']],
  index_follow: [3],
  instance: ['/api/v1/crawlers/docs'],
  key: ['cw_read_2f7c1e', '9f86d081884c7d65'],
  kind: ['a'],
  language: ['en'],
  lastModified: ['Mon, 02 Mar 2026 08:15:30 GMT'],
  lastRefusal: ['document_parsing_exception: cannot parse title'],
  lastStatus: [200],
  layer: ['crawl-rules'],
  like: ['https://www.example.com/docs/%'],
  limitedBy: ['politeness: 93 % of the due URLs are on www.example.com; next request in 1.5 s'],
  markdown: ['# Start'],
  maxSizeBytes: [104_857_600],
  meaning: ['The last matching crawl rule with an Accept or Ignore action uses Ignore.'],
  message: ['unknown element Rool: did you mean Rule?'],
  mimeType: ['text/html'],
  name: ['docs'],
  needsConfirmation: [['docs']],
  next: ['bGFzdA', 42],
  nextStep: ['Change that rule, or put a rule with Accept after it.'],
  outcome: ['indexed'],
  path: [['Start', 'Install']],
  pendingDeletion: ['http-404'],
  pointer: ['/url'],
  priority: [0],
  problems: [['line 3: "https://" is not a URL with a host']],
  proxy: ['http://proxy.example.com:3128'],
  readyWhen: ['.content'],
  reason: ['http-404'],
  reasons: [['the store is not responding: connect ECONNREFUSED 192.0.2.7:5432'], { 'http-404': 3 }],
  redir: [4],
  refresh: [1],
  refusal: ['field price: "unknown" is not a number'],
  remedy: ['Change that rule, or put a rule with Accept after it.'],
  rule: ['Disallow: /private'],
  searchPage: ['http://localhost:8091/'],
  setBy: ['crawler docs'],
  stamp: ['5f2b0c9d'],
  status: [200, '200'],
  steps: ['click .more; wait 0.5'],
  target: ['/api/v1/hosts/www.example.com/pause'],
  test: ['rule 3: host is www.example.com'],
  text: ['Read this first.'],
  title: ['Start'],
  to: [2],
  type: ['about:blank'],
  user: [5],
  userAgent: ['crawlway/1.0 (+https://www.example.com/bot)'],
  value: ['Start'],
  warning: [
    'It holds documents that belong to no crawler on this server (1 of the 42 examined, such as https://www.example.com/old.html). If another server pushes there, give this sink its own connector or index; if they are left over, reconcile the sink with repair',
  ],
  what: ['pauseHost'],
  from: ['https://www.example.com/', 1],
  version: [2, '0.1.0'],
  bytes: [2048, 'UmVhZCB0aGlzIGZpcnN0Lg=='],
  who: ['admin'],
  xml: [CONFIGURATION],
};

/** Examples of bodies that are not JSON. */
const EXAMPLES_BY_MEDIA_TYPE: Readonly<Record<string, string>> = {
  'application/xml': CONFIGURATION,
  'text/csv': `url,status,reason\n${PAGE_URL},indexed,indexed\n`,
  'text/plain': 'crawlway_active_fetches 3\n',
  'application/x-ndjson': `{"url":"${PAGE_URL}","status":"indexed","reason":"indexed"}\n`,
};

/** Maximum depth to which recursive schemas are followed. */
const MAX_DEPTH = 6;

function repeatExample(value: unknown, names: string): Record<string, readonly unknown[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, [value]]));
}

const listTypes = ({ type }: Schema): readonly string[] => (type === undefined ? [] : ([type].flat() as string[]));

const getJsonType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

export class Examples {
  /** Properties for which no example is known. */
  readonly namesWithoutExample = new Set<string>();

  constructor(private readonly schemas: Readonly<Record<string, SchemaOrRef>>) {}

  createExample(schemaOrRef: SchemaOrRef, name = '', depth = 0): unknown {
    const schema = this.resolveRef(schemaOrRef);
    const ownExample = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
    if (ownExample !== undefined) return ownExample;
    const choices = (schema.oneOf ?? schema.anyOf) as readonly SchemaOrRef[] | undefined;
    if (choices)
      return choices.map((choice) => this.createExample(choice, name, depth)).find((example) => example !== undefined);
    if (schema.allOf)
      return Object.assign(
        {},
        ...(schema.allOf as readonly SchemaOrRef[]).map((part) => this.createExample(part, name, depth)),
      );
    const namedExample = EXAMPLES_BY_NAME[name]?.find((value) => this.matchesSchema(schema, value));
    if (namedExample !== undefined) return namedExample;
    if (schema.properties) return this.createObjectExample(schema, depth);
    if (schema.items)
      return depth >= MAX_DEPTH ? [] : [this.createExample(schema.items as SchemaOrRef, name, depth + 1)];
    if (listTypes(schema).includes('boolean')) return true;
    if (listTypes(schema).includes('object')) return {};
    if (name !== '') this.namesWithoutExample.add(name);
    return undefined;
  }

  private createObjectExample({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const includedProperties = Object.entries(properties).filter(
      ([name]) => depth < MAX_DEPTH || required.includes(name),
    );
    return Object.fromEntries(
      includedProperties.map(([name, property]) => [
        name,
        this.createExample(property as SchemaOrRef, name, depth + 1),
      ]),
    );
  }

  private matchesSchema(schema: Schema, value: unknown): boolean {
    const types = listTypes(schema);
    if (Array.isArray(value) && schema.items) {
      const items = this.resolveRef(schema.items as SchemaOrRef);
      return types.includes('array') && value.every((item) => this.matchesSchema(items, item));
    }
    // The example of an object with declared properties is built from those.
    if (schema.properties) return false;
    if (types.length === 0) return true;
    return types.includes(getJsonType(value)) || (typeof value === 'number' && types.includes('number'));
  }

  private resolveRef(schemaOrRef: SchemaOrRef): Schema {
    if (!('$ref' in schemaOrRef)) return schemaOrRef;
    return this.resolveRef(this.schemas[schemaOrRef.$ref.slice(schemaOrRef.$ref.lastIndexOf('/') + 1)] as SchemaOrRef);
  }
}

/** Returns the names of properties without an example. */
export function addExamples(document: OpenAPIObject): ReadonlySet<string> {
  const examples = new Examples((document.components?.schemas ?? {}) as Record<string, SchemaOrRef>);
  // The problem responses of several calls share one object.
  for (const { content, status, description } of collectContents(document))
    for (const [mediaType, media] of Object.entries(content)) {
      if (media.example !== undefined || media.examples !== undefined) continue;
      const example =
        EXAMPLES_BY_MEDIA_TYPE[mediaType] ?? (media.schema && examples.createExample(media.schema as SchemaOrRef));
      const isProblem = mediaType === PROBLEM_MEDIA_TYPE && status !== undefined;
      content[mediaType] = { ...media, example: isProblem ? createProblemExample(status, description) : example };
    }
  return examples.namesWithoutExample;
}

const createProblemExample = (status: number, description: string): object => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Problem',
  status,
  detail: description,
  instance: '/api/v1/crawlers/docs',
});

type Content = Record<string, { schema?: unknown; example?: unknown; examples?: unknown }>;

interface DescribedContent {
  readonly content: Content;
  /** HTTP status, if the content is that of a response. */
  readonly status: number | undefined;
  /** Description of the response. */
  readonly description: string;
}

function collectContents(document: OpenAPIObject): DescribedContent[] {
  const contents: DescribedContent[] = [];
  const visit = (node: object, status: number | undefined): void => {
    if ('content' in node && typeof node.content === 'object') {
      // The responses of many calls share one object, so each gets a copy.
      const content = { ...node.content } as Content;
      Object.assign(node, { content });
      contents.push({ content, status, description: 'description' in node ? String(node.description) : '' });
      return;
    }
    for (const [name, child] of Object.entries(node) as [string, unknown][]) {
      const statusCode = /^(?:Problem)?(\d{3})$/.exec(name)?.[1];
      if (typeof child === 'object' && child !== null)
        visit(child, statusCode === undefined ? status : Number(statusCode));
    }
  };
  visit(document.paths, undefined);
  visit(document.webhooks ?? {}, undefined);
  visit(document.components?.responses ?? {}, undefined);
  return contents;
}
