/**
 * The tools that an assistant may use, as a server of the Model Context Protocol. Each tool makes calls to the REST API
 * with the key of the user for whom the assistant works, so roles, limits and the audit log are those of the API. No
 * tool deletes anything or changes the configuration; users do that in the console or on the command line.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ApiProblem, type CrawlwayClient } from '../../../client/index.js';
import { toPrintableLines } from '../printable.js';
import { SERVER_VERSION } from '../version.js';

/** Maximum number of characters in a result; an assistant cannot read more at once. */
const MAX_CHARACTERS = 60_000;
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
        'Explains why a URL is in the index, on its way there, or not: the rule or limit that decides this, its last fetches, the orders sent for it, and when it will be visited next.',
      inputSchema: {
        url: urlSchema,
        crawler: crawlerSchema,
        from: urlSchema.optional().describe('Evaluate the URL as if this page linked to it.'),
      },
      annotations: READ_ONLY,
    },
    (input) =>
      toToolResult(async () =>
        client.call('GET /api/v1/crawlers/{crawler}/explain', {
          path: { crawler: await findCrawlerName(client, input.crawler) },
          query: { url: input.url, from: input.from },
        }),
      ),
  );
}

function addSearchTool(server: McpServer, client: CrawlwayClient): void {
  server.registerTool(
    'search_urls',
    {
      title: 'Search URLs',
      description:
        'Finds stored URLs with their states, by pattern, host, status and reason; `next` is the cursor of the following page.',
      inputSchema: {
        crawler: crawlerSchema,
        like: z.string().max(MAX_URL_LENGTH).optional().describe('SQL LIKE pattern: https://www.example.com/%'),
        host: z
          .string()
          .max(1_000)
          .optional()
          .describe('Host name, with the port when it is not the default: www.example.com'),
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
        cursor: z.string().max(MAX_URL_LENGTH).optional(),
      },
      annotations: READ_ONLY,
    },
    ({ crawler: name, ...query }) =>
      toToolResult(async () =>
        client.call('GET /api/v1/crawlers/{crawler}/urls', {
          path: { crawler: await findCrawlerName(client, name) },
          query,
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
      inputSchema: { crawler: crawlerSchema, reason: z.string().max(100).optional() },
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
      inputSchema: {
        crawler: crawlerSchema,
        urls: z
          .array(urlSchema.regex(/^https?:\/\/\S+$/))
          .min(1)
          .max(MAX_URLS),
      },
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
      inputSchema: {
        crawler: crawlerSchema,
        rule: z.string().max(MAX_RULE_LENGTH).describe('One element: <Rule><Path value="/private/"/><Ignore/></Rule>'),
        index: z.number().int().min(0).optional().describe('Position of the rule. Absent: after all others.'),
      },
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
  const { items } = await client.call('GET /api/v1/crawlers');
  const [onlyCrawler] = items;
  if (onlyCrawler && items.length === 1) return onlyCrawler.name;
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

/** Titles and URLs come from strangers: assistants read nothing in them that people would not see. */
const createTextResult = (answer: string): CallToolResult => toTextResult(toPrintableLines(answer));

const toTextResult = (text: string): CallToolResult => ({
  content: [
    {
      type: 'text',
      text: text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}\n… (truncated)`,
    },
  ],
});
