/**
 * The tools that an assistant may use, as a server of the Model Context Protocol. Each tool makes calls to the REST API
 * with the key of the user for whom the assistant works, so roles, limits and the audit log are those of the API. No
 * tool deletes anything or changes the configuration; users do that in the console or on the command line.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ApiProblem, type CrawlwayClient, type ReasonCodeDto } from '../../../client/index.js';
import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import { toPrintableLines } from '../printable.js';
import { SERVER_VERSION } from '../version.js';
import { ERRORS, EXPLANATIONS, PREVIEW, STATUS, SUBMITTED, URL_PAGE } from './output-schemas.js';

/** Maximum number of crawlers that are asked in one call. */
const MAX_CRAWLERS = 10;
const MAX_URLS = 1_000;
const MAX_URL_LENGTH = 8_192;
const MAX_RULE_LENGTH = 65_536;

const INSTRUCTIONS =
  'Crawlway crawls web sites and keeps a search index in sync with them. Use explain_url to find out why a page is or is not in the index, crawl_status to see what limits a crawl, and list_errors to see what is failing. ' +
  'No tool deletes documents or changes the configuration: preview_rule shows what a rule would do; users put it in force in the console.';

const READ_ONLY = { readOnlyHint: true, openWorldHint: true } as const;
const crawlerSchema = z
  .string()
  .max(200)
  .optional()
  .describe('Name of the crawler; may be left out if there is only one.');
const urlSchema = z.string().max(MAX_URL_LENGTH);

/** The tools' inputs are strict: an argument that does not exist would be ignored, and the answer one to another question. */
export function createAssistantTools(client: CrawlwayClient): McpServer {
  const server = new McpServer({ name: 'crawlway', version: SERVER_VERSION }, { instructions: INSTRUCTIONS });
  addExplanationTool(server, client);
  addSearchTool(server, client);
  addStatusTools(server, client);
  addChangeTools(server, client);
  return server;
}

function addExplanationTool(server: McpServer, client: CrawlwayClient): void {
  server.registerTool(
    'explain_url',
    {
      title: 'Explain a URL',
      description:
        'Explains why a URL is in the index, on its way there, or not: the rule or limit that decides this, its last fetches, the orders sent for it, and when it will be visited next. Without a crawler, every crawler answers.',
      inputSchema: z.strictObject({
        url: urlSchema,
        crawler: crawlerSchema.describe(`Name of the crawler; may be left out to ask the first ${MAX_CRAWLERS}.`),
        from: urlSchema.optional().describe('Evaluate the URL as if this page linked to it.'),
      }),
      outputSchema: EXPLANATIONS,
      annotations: READ_ONLY,
    },
    (input) => toToolResult(() => explainUrl(client, { url: input.url, from: input.from }, input.crawler)),
  );
}

/** Asks the named crawler, or all that the key may see; each has an equal share of what the result may hold. */
async function explainUrl(
  client: CrawlwayClient,
  query: { readonly url: string; readonly from: string | undefined },
  name: string | undefined,
): Promise<unknown> {
  const names = name === undefined ? await listCrawlerNames(client) : [name];
  const askedNames = names.slice(0, MAX_CRAWLERS);
  const explanations = await Promise.all(
    askedNames.map(async (crawler) => {
      const explanation = await client.call('GET /api/v1/crawlers/{crawler}/explain', { path: { crawler }, query });
      const shortExplanation = shortenLists(explanation, (0.9 * MAX_CHARACTERS) / askedNames.length);
      return { crawler, explanation: shortExplanation, isShortened: shortExplanation !== explanation };
    }),
  );
  return { explanations, otherCrawlers: names.slice(MAX_CRAWLERS) };
}

function addSearchTool(server: McpServer, client: CrawlwayClient): void {
  server.registerTool(
    'search_urls',
    {
      title: 'Search URLs',
      description:
        'Finds stored URLs with their states, by pattern, host, status and reason; `next` is the cursor of the following page.',
      inputSchema: z.strictObject({
        crawler: crawlerSchema,
        like: z.string().max(MAX_URL_LENGTH).optional().describe('SQL LIKE pattern: https://www.example.com/%'),
        host: z
          .string()
          .max(1_000)
          .optional()
          .describe('Host name, with the port when it is not the default: www.example.com'),
        status: z.enum(URL_STATUSES).optional(),
        reason: z.string().max(100).optional().describe('Reason code, such as noindex or http-404.'),
        limit: z.number().int().min(1).max(100).default(20),
        cursor: z.string().max(MAX_URL_LENGTH).optional(),
      }),
      outputSchema: URL_PAGE,
      annotations: READ_ONLY,
    },
    ({ crawler: name, reason, ...query }) =>
      toToolResult(async () =>
        client.call('GET /api/v1/crawlers/{crawler}/urls', {
          path: { crawler: await findCrawlerName(client, name) },
          query: { ...query, reason: reason as ReasonCodeDto | undefined },
        }),
      ),
  );
}

/** How the crawl as a whole is doing. */
function addStatusTools(server: McpServer, client: CrawlwayClient): void {
  server.registerTool(
    'crawl_status',
    {
      title: 'What limits the crawl',
      description:
        'Lists each crawler with its state, its rates and what currently limits it (`limitedBy`), and each sink with its state.',
      inputSchema: z.strictObject({}),
      outputSchema: STATUS,
      annotations: READ_ONLY,
    },
    () =>
      toToolResult(async () => {
        const [crawlers, sinks] = await Promise.all([
          client.call('GET /api/v1/crawlers'),
          client.call('GET /api/v1/sinks'),
        ]);
        return { crawlers: crawlers.items, sinks: sinks.items };
      }),
  );

  server.registerTool(
    'list_errors',
    {
      title: 'Errors',
      description: 'Counts URLs in error by error code, or those with the error code given as `reason` by host.',
      inputSchema: z.strictObject({ crawler: crawlerSchema, reason: z.string().max(100).optional() }),
      outputSchema: ERRORS,
      annotations: READ_ONLY,
    },
    (input) =>
      toToolResult(async () => {
        const name = await findCrawlerName(client, input.crawler);
        return input.reason === undefined
          ? client.call('GET /api/v1/crawlers/{crawler}/errors', { path: { crawler: name } })
          : client.call('GET /api/v1/crawlers/{crawler}/errors/{reason}/hosts', {
              path: { crawler: name, reason: input.reason },
            });
      }),
  );
}

/** What adds URLs, and what shows the effect of a change. */
function addChangeTools(server: McpServer, client: CrawlwayClient): void {
  server.registerTool(
    'submit_urls',
    {
      title: 'Submit URLs',
      description:
        'Submits URLs as new start URLs; the configuration decides about each of them as usual. Requires the role operate.',
      inputSchema: z.strictObject({
        crawler: crawlerSchema,
        urls: z
          .array(urlSchema.regex(/^https?:\/\/\S+$/))
          .min(1)
          .max(MAX_URLS),
      }),
      outputSchema: SUBMITTED,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    (input) =>
      toToolResult(async () =>
        client.call('POST /api/v1/crawlers/{crawler}/roots/list', {
          path: { crawler: await findCrawlerName(client, input.crawler) },
          body: input.urls.join('\n'),
        }),
      ),
  );

  server.registerTool(
    'preview_rule',
    {
      title: 'Preview a rule',
      description:
        'Shows what a new crawl rule would change: how many stored URLs it would newly accept and exclude, by host, with samples. Changes nothing. Requires the role admin.',
      inputSchema: z.strictObject({
        crawler: crawlerSchema,
        rule: z.string().max(MAX_RULE_LENGTH).describe('One element: <Rule><Path value="/private/"/><Ignore/></Rule>'),
        index: z.number().int().min(0).optional().describe('Position of the rule. Absent: after all others.'),
      }),
      outputSchema: PREVIEW,
      annotations: READ_ONLY,
    },
    (input) =>
      toToolResult(async () =>
        client.call('POST /api/v1/config/crawlers/{crawler}/rules/preview', {
          path: { crawler: await findCrawlerName(client, input.crawler) },
          query: { index: input.index },
          body: input.rule.trim(),
        }),
      ),
  );
}

async function findCrawlerName(client: CrawlwayClient, name: string | undefined): Promise<string> {
  if (name !== undefined) return name;
  const names = await listCrawlerNames(client);
  const [onlyName] = names;
  if (onlyName !== undefined && names.length === 1) return onlyName;
  throw new ApiProblem(400, `Name one of these crawlers: ${names.join(', ')}.`);
}

const listCrawlerNames = async (client: CrawlwayClient): Promise<readonly string[]> =>
  (await client.call('GET /api/v1/crawlers')).items.map(({ name }) => name);

/** Maximum number of characters in a result; an assistant cannot read more at once. */
const MAX_CHARACTERS = 60_000;
/** Length to which lists are shortened first. */
const MAX_ITEMS = 1_000;

/** The API's response or refusal in the form that the protocol requires; a refusal is for the assistant to read. */
async function toToolResult(call: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return createResult(toPrintableValue(await call()));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const errors = error.errors.map(({ detail }) => `\n${detail}`).join('');
    return createRefusal(toPrintableLines(`${error.detail}${errors}`));
  }
}

/** Titles and URLs come from strangers: assistants read nothing in them that people would not see. */
const toPrintableValue = (value: unknown): unknown =>
  JSON.parse(toPrintableLines(JSON.stringify(value)), (_, part) =>
    typeof part === 'string' ? toPrintableLines(part) : part,
  );

/** The same answer twice, as the protocol requires: as data, and as text for programs that do not read data. */
function createResult(answer: unknown): CallToolResult {
  const shortAnswer = shortenLists(answer, MAX_CHARACTERS);
  const isShortened = shortAnswer !== answer;
  const text = JSON.stringify(shortAnswer);
  // A cursor would skip what was left out.
  if (text.length > MAX_CHARACTERS || (isShortened && (answer as { next?: unknown }).next))
    return createRefusal('The answer is too long. Ask for less, for example with a smaller `limit`.');
  return {
    structuredContent: shortAnswer as Record<string, unknown>,
    content: [
      { type: 'text', text },
      ...(isShortened ? [{ type: 'text' as const, text: 'The answer was too long: its lists are shortened.' }] : []),
    ],
  };
}

/** Shortens all lists in an answer until it fits; the same answer if it fits as it is. */
function shortenLists(answer: unknown, maxCharacters: number): unknown {
  let shortAnswer = answer;
  for (let length = MAX_ITEMS; length > 0 && JSON.stringify(shortAnswer).length > maxCharacters; length >>= 1)
    shortAnswer = JSON.parse(JSON.stringify(answer), (_, part) => (Array.isArray(part) ? part.slice(0, length) : part));
  return shortAnswer;
}

const createRefusal = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: text.slice(0, MAX_CHARACTERS) }],
  isError: true,
});
