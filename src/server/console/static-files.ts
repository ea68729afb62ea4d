/** The web console at `/`: the files that Vite built into console/dist, or a plain page if there are none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PROJECT_ROOT } from '../project-root.js';

/** Stricter than for the rest of the server, because the pages of the API documentation contain inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONSOLE_FOLDER = join(PROJECT_ROOT, 'console', 'dist');

const PLAIN_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Crawlway</title>
<h1>Crawlway</h1><p>The server is running. The web console has not been built (<code>npm run build</code> builds it).
The API is described at <a href="/docs">/docs</a>.</p></html>`;

/**
 * First segments of paths that are not screens: a probe with a mistyped address must fail instead of getting a page.
 */
const NON_SCREEN_SEGMENTS = new Set(['api', 'docs', 'health', 'help', 'mcp', 'metrics']);

/** Paths of the console's screens have no dot in their last segment; paths of files do. */
function isScreenPath(path: string): boolean {
  const firstSegment = path.split('/').find((segment) => segment !== '') ?? '';
  return !NON_SCREEN_SEGMENTS.has(firstSegment.toLowerCase()) && !path.slice(path.lastIndexOf('/')).includes('.');
}

const HELP_FOLDER = join(PROJECT_ROOT, 'dist', 'help');

/** Serves the documentation at `/help`: pages that scripts/docs.mjs generated from docs/. */
export async function serveHelp(fastify: FastifyInstance): Promise<void> {
  if (!existsSync(join(HELP_FOLDER, 'index.html'))) return;
  fastify.get('/help', async (_request, reply) => reply.redirect('/help/'));
  await fastify.register(fastifyStatic, {
    root: HELP_FOLDER,
    prefix: '/help/',
    decorateReply: false,
    setHeaders: (reply) => void reply.header('content-security-policy', CONTENT_SECURITY_POLICY),
  });
}

export async function serveConsole(fastify: FastifyInstance): Promise<void> {
  const indexFile = join(CONSOLE_FOLDER, 'index.html');
  if (!existsSync(indexFile)) {
    fastify.get('/', async (_request, reply) => reply.type('text/html; charset=utf-8').send(PLAIN_PAGE));
    return;
  }
  await fastify.register(fastifyStatic, {
    root: join(CONSOLE_FOLDER, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    decorateReply: false,
  });
  const page = readFileSync(indexFile, 'utf8');
  fastify.get('/', async (_request, reply) => sendPage(reply));
  fastify.get('/*', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    if (!isScreenPath(path)) return reply.callNotFound();
    return sendPage(reply);
  });

  function sendPage(reply: import('fastify').FastifyReply): unknown {
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .send(page);
  }
}
