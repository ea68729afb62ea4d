/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. A tool calls this server's API with
 * the key of the request, so a caller can do here what the same key can do there, and no more.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrawlwayClient } from '../../../client/index.js';

const CREDENTIALS = ['authorization', 'x-api-key'] as const;
/**
 * Maximum number of messages per call: they share one response, which is much longer than the messages, and recent
 * revisions of the protocol have no batches.
 */
const MAX_MESSAGES = 20;
const KEY_REQUIRED = 'An API key is required: `Authorization: Bearer KEY` or `X-API-Key: KEY`.';

export function serveAssistants(fastify: FastifyInstance): void {
  fastify.post('/mcp', (request, reply) => handleRequest(fastify, request, reply));
  // Without sessions, there is no stream to open or end.
  fastify.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => sendProblem(reply.header('allow', 'POST'), 405, 'Send messages by POST.'),
  });
}

async function handleRequest(fastify: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!request.caller) return sendProblem(reply.header('www-authenticate', 'Bearer'), 401, KEY_REQUIRED);
  const fetchSite = request.headers['sec-fetch-site'];
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none')
    return sendProblem(reply, 403, 'Another site made the browser send the call.');
  if (Array.isArray(request.body) && request.body.length > MAX_MESSAGES)
    return sendProblem(reply, 400, `The call has more than ${MAX_MESSAGES} messages; send them in several calls.`);
  // These modules are loaded only when the first assistant calls.
  const [{ WebStandardStreamableHTTPServerTransport }, { createAssistantTools: createTools }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('./assistant-tools.js'),
  ]);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createTools(createClient(fastify, request));
  try {
    await server.connect(transport);
    const url = `http://${request.headers.host ?? 'localhost'}${request.url}`;
    const response = await transport.handleRequest(
      new Request(url, { method: 'POST', headers: listHeaderEntries(request) }),
      { parsedBody: request.body },
    );
    return await reply
      .code(response.status)
      .headers(Object.fromEntries(response.headers))
      .send(await response.text());
  } finally {
    await server.close();
  }
}

/** Calls this server within the process; the API's guards see the caller's own key, address and host. */
function createClient(fastify: FastifyInstance, request: FastifyRequest): CrawlwayClient {
  const callerHeaders = Object.fromEntries(
    [...CREDENTIALS, 'host' as const].flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return new CrawlwayClient({
    fetch: async (url, { method = 'GET', headers, body }) => {
      const response = await fastify.inject({
        method: method as 'GET',
        url,
        headers: { ...(headers as Record<string, string>), ...callerHeaders },
        payload: body as string | undefined,
        remoteAddress: request.ip,
      });
      const isEmpty = response.statusCode === 204 || response.statusCode === 304;
      const type = String(response.headers['content-type'] ?? '');
      return new Response(isEmpty ? null : response.payload, {
        status: response.statusCode,
        headers: { 'content-type': type },
      });
    },
  });
}

const listHeaderEntries = ({ headers }: FastifyRequest): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );

const sendProblem = (reply: FastifyReply, status: number, detail: string): FastifyReply =>
  reply.code(status).type('application/problem+json').send({ type: 'about:blank', title: detail, status, detail });
