/**
 * What an assistant may do, as a server of the Model Context Protocol. Each tool is a call of the REST API, made with the key of
 * the person for whom the assistant works: roles, limits and the audit log are those of the API. No tool deletes anything or
 * changes the configuration; that is left to a person, in the console or on the command line.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ApiProblem, type CrawlwayClient } from '../../../client/index.js';
import { SERVER_VERSION } from '../version.js';

/** Characters of an answer; an assistant reads no more at once. */
const MOST_CHARACTERS = 60_000;
const MOST_URLS = 1_000;
const LONGEST_URL = 8_192;
const LONGEST_RULE = 65_536;

const INSTRUCTIONS =
  'Crawlway crawls web sites and keeps a search index in sync with them. Ask explain_url why a page is or is not in the index, crawl_status what limits a crawl, list_errors what fails. ' +
  'Nothing here deletes or changes the configuration: preview_rule shows what a rule would do, and a person puts it into force in the console.';

const LOOKS = { readOnlyHint: true, openWorldHint: false } as const;
const crawler = z.string().max(200).optional().describe('Name of the crawler; may be left out when there is one only.');
const url = z.string().max(LONGEST_URL);

export function createAssistantTools(client: CrawlwayClient): McpServer {
  const server = new McpServer({ name: 'crawlway', version: SERVER_VERSION }, { instructions: INSTRUCTIONS });
  const resolve = (given: string | undefined): Promise<string> => resolveCrawler(client, given);

  server.registerTool(
    'explain_url',
    {
      title: 'Explain a URL',
      description:
        'Why a URL is in the index, on its way there, or not: the rule or limit that decides, its last fetches, the orders sent for it, and when it is visited next.',
      inputSchema: { url, crawler, from: url.optional().describe('Judge it as a link on this page.') },
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
        'Stored URLs with their states, by pattern, host, status and reason; `next` is the cursor of what follows.',
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
        'Each crawler with its state, its rates and what limits it now (`limitedBy`), and each sink with its state.',
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
      description: 'URLs in error, counted by error code; with `reason` the hosts that have this one.',
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
        'Has URLs visited as new start URLs; the configuration decides about each as ever. Requires the role operate.',
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
        'What a new crawl rule would change: how many stored URLs it lets in and keeps out, by host, with samples. Changes nothing. Requires the role admin.',
      inputSchema: {
        crawler,
        rule: z.string().max(LONGEST_RULE).describe('One element: <Rule><Path value="/private/"/><Ignore/></Rule>'),
        index: z.number().int().min(0).optional().describe('Its position; absent: after all others.'),
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
  throw new ApiProblem(400, `Say which crawler: ${items.map(({ name }) => name).join(', ')}.`);
}

/**
 * What the API answers, or why it refuses, in the form that the protocol requires: a refusal is meant for the assistant to read.
 */
async function toToolResult(call: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return textResult(JSON.stringify(await call(), undefined, 1));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const errors = error.errors.map(({ detail }) => `\n${detail}`).join('');
    return { ...textResult(`${error.detail}${errors}`), isError: true };
  }
}

const textResult = (whole: string): CallToolResult => ({
  content: [
    { type: 'text', text: whole.length <= MOST_CHARACTERS ? whole : `${whole.slice(0, MOST_CHARACTERS)}\n… cut` },
  ],
});
