/** Assembles the Nest application: everything that applies to every call. */
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../engine/ports/log.js';
import { CONTROLLERS, createAppModule, PROBES } from './app.module.js';
import { serveConsole, serveHelp } from './console/static-files.js';
import { registerBodyParsers } from './http/body-parsers.js';
import { MAX_REQUEST_HEAD } from './http/limits.js';
import { ProblemFilter } from './http/problem.filter.js';
import { respondToMalformedRequest, respondToMalformedUrl } from './http/unreadable.js';
import { createValidationPipe } from './http/validation.js';
import { serveAssistants } from './mcp/mcp-route.js';
import { NestLog } from './nest-log.js';
import { serveApiDocs } from './openapi/docs.js';
import { identifyCallers, recordRefusals } from './security/access.guard.js';
import { KeyRing } from './security/key-ring.js';
import { requireLocalHost } from './security/local-host.js';
import { RefusedCalls } from './security/refused-calls.js';
import { SECURITY_HEADERS } from './security/security-headers.js';
import type { SignIn } from './sign-in/sign-in.js';
import { SIGN_IN } from './tokens.js';

/**
 * Time limit for a whole request to arrive, so that a client that sends a byte now and then cannot hold its connection
 * forever.
 */
const REQUEST_TIMEOUT_MS = 120_000;
/**
 * Time limit for the header, and for the first byte on a connection; until then it occupies one of the connections
 * counted below.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUTS_CHECKED_EVERY_MS = 2_000;

/**
 * Event streams of all keys and calls in flight. Beyond this limit, connections are closed at once, so that the process
 * does not run out of file descriptors.
 */
const MAX_CONNECTIONS = 1_000;

/**
 * The application, not yet listening. For `parts` see createAppModule; without `api` it serves only probes and metrics.
 */
export async function createApp(
  parts: DynamicModule,
  log: Log,
  { api }: { api: boolean },
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      maxHeaderSize: MAX_REQUEST_HEAD,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
    },
    routerOptions: { maxParamLength: 2048 },
    frameworkErrors: respondToMalformedUrl,
    clientErrorHandler: respondToMalformedRequest,
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    createAppModule(parts, api ? CONTROLLERS : PROBES),
    adapter,
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
      forceCloseConnections: true,
    },
  );
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  fastify.server.maxConnections = MAX_CONNECTIONS;
  app.useSecurityHeaders(SECURITY_HEADERS);
  app.enableCsrfProtection();
  const refused = app.get(RefusedCalls);
  recordRefusals(fastify, refused);
  const ring = app.get(KeyRing);
  if (ring.isOpen) requireLocalHost(fastify);
  identifyCallers(fastify, { ring, signIn: app.get<SignIn | undefined>(SIGN_IN), refused });
  registerBodyParsers(fastify);
  app.useGlobalPipes(createValidationPipe());
  app.useGlobalFilters(app.get(ProblemFilter));
  if (api) {
    serveAssistants(fastify);
    serveApiDocs(app);
    await serveHelp(fastify);
    await serveConsole(fastify);
  }
  return app;
}
