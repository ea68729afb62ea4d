/**
 * The tools that an assistant may use, as a server of the Model Context Protocol. Each tool makes calls to the REST API
 * with the key of the person for whom the assistant works, so roles, limits and the audit log are those of the API. No
 * tool deletes anything or changes the configuration; that is left to a person, in the console or on the command line.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ApiProblem, type CrawlwayClient } from '../../../client/index.js';
import { SERVER_VERSION } from '../version.js';

/** Maximum number of characters in a result; an assistant reads no more at once. */
const MOST_CHARACTERS = 60_000;
const MOST_URLS = 1_000;
const LONGEST_URL = 8_192;
const LONGEST_RULE = 65_536;

const INSTRUCTIONS =
  'Crawlway crawls web sites and keeps a search index in sync with them. Use explain_url to find out why a page is or is not in the index, crawl_status to see what limits a crawl, and list_errors to see what is failing. ' +
  'No tool deletes documents or changes the configuration: preview_rule shows what a rule would do, and a person puts it in force in the console.';

const LOOKS = { readOnlyHint: true, openWorldHint: false } as const;
const crawler = z.string().max(200).optional().describe('Name of the crawler; may be left out if there is only one.');
const url = z.string().max(LONGEST_URL);

export function createAssistantTools(client: CrawlwayClient): McpServer {
  const server = new McpServer({ name: 'crawlway', version: SERVER_VERSION }, { instructions: INSTRUCTIONS });
  const resolve = (given: string | undefined): Promise<string> => resolveCrawler(client, given);

  server.registerTool(
    'explain_url',
    {
      title: 'Explain a URL',
      description:
        'Explains why a URL is in the index, on its way there, or not: the rule or limit that decides, its last fetches, the orders sent for it, and when it is visited next.',
      inputSchema: { url, crawler, from: url.optional().describe('Evaluate the URL as if this page linked to it.') },
      annotations: LOOKS,
    },
    (given) =>
      toToolResult(async () =>
        client.call('GET /api/v1/crawlers/{crawler}/explain', {
          path: { crawler: await resolve(given.crawler) },
          query: { url: given.url, from: given.from },
        }),
      ),
  );

  server.registerTool(
    'search_urls',
    {
      title: 'Search URLs',
      description:
        'Finds stored URLs with their states, by pattern, host, status and reason; `next` is the cursor of the following page.',
      inputSchema: {
        crawler,
        like: z.string().max(LONGEST_URL).optional().describe('SQL LIKE pattern: https://www.example.com/%'),
        host: z.string().max(1_000).optional().describe('As in the URL: https://www.example.com'),
        status: z
          .enum([
            'waiting',
            'indexed',
            'visited',
            'redirected',
            'error',
            'excluded',
            'elsewhere',
            'filtered',
            'removed',
          ])
          .optional(),
        reason: z.string().max(100).optional().describe('Reason code, such as noindex or http-404.'),
        limit: z.number().int().min(1).max(100).default(20),
        cursor: z.string().max(LONGEST_URL).optional(),
      },
      annotations: LOOKS,
    },
    ({ crawler: name, ...query }) =>
      toToolResult(async () =>
        client.call('GET /api/v1/crawlers/{crawler}/urls', { path: { crawler: await resolve(name) }, query }),
      ),
  );

  server.registerTool(
    'crawl_status',
    {
      title: 'What limits the crawl',
      description:
        'Lists each crawler with its state, its rates and what currently limits it (`limitedBy`), and each sink with its state.',
      annotations: LOOKS,
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
      description: 'Counts URLs in error by error code, or by host for the one given as `reason`.',
      inputSchema: { crawler, reason: z.string().max(100).optional() },
      annotations: LOOKS,
    },
    (given) =>
      toToolResult(async () => {
        const name = await resolve(given.crawler);
        return given.reason === undefined
          ? client.call('GET /api/v1/crawlers/{crawler}/errors', { path: { crawler: name } })
          : client.call('GET /api/v1/crawlers/{crawler}/errors/{reason}/hosts', {
              path: { crawler: name, reason: given.reason },
            });
      }),
  );

  server.registerTool(
    'submit_urls',
    {
      title: 'Submit URLs',
      description:
        'Submits URLs as new start URLs; the configuration decides about each of them as usual. Requires the role operate.',
      inputSchema: {
        crawler,
        urls: z
          .array(url.regex(/^https?:\/\/\S+$/))
          .min(1)
          .max(MOST_URLS),
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    (given) =>
      toToolResult(async () =>
        client.call('POST /api/v1/crawlers/{crawler}/roots/list', {
          path: { crawler: await resolve(given.crawler) },
          body: given.urls.join('\n'),
        }),
      ),
  );

  server.registerTool(
    'preview_rule',
    {
      title: 'Preview a rule',
      description:
        'Shows what a new crawl rule would change: how many stored URLs it would let in and keep out, by host, with samples. Changes nothing. Requires the role admin.',
      inputSchema: {
        crawler,
        rule: z.string().max(LONGEST_RULE).describe('One element: <Rule><Path value="/private/"/><Ignore/></Rule>'),
        index: z.number().int().min(0).optional().describe('Position of the rule. Absent: after all others.'),
      },
      annotations: LOOKS,
    },
    (given) =>
      toToolResult(async () =>
        client.call('POST /api/v1/config/crawlers/{crawler}/rules/preview', {
          path: { crawler: await resolve(given.crawler) },
          query: { index: given.index },
          body: given.rule.trim(),
        }),
      ),
  );
  return server;
}

async function resolveCrawler(client: CrawlwayClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { items } = await client.call('GET /api/v1/crawlers');
  const [only] = items;
  if (only && items.length === 1) return only.name;
  throw new ApiProblem(400, `Name one of these crawlers: ${items.map(({ name }) => name).join(', ')}.`);
}

/** The API's response or refusal in the form that the protocol requires; a refusal is for the assistant to read. */
async function toToolResult(call: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return createTextResult(JSON.stringify(await call(), undefined, 1));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const errors = error.errors.map(({ detail }) => `\n${detail}`).join('');
    return { ...createTextResult(`${error.detail}${errors}`), isError: true };
  }
}

const createTextResult = (whole: string): CallToolResult => ({
  content: [
    { type: 'text', text: whole.length <= MOST_CHARACTERS ? whole : `${whole.slice(0, MOST_CHARACTERS)}\n… cut` },
  ],
});
