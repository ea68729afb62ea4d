/** Assembles the Nest application, with everything that applies to every call. */
import { type DynamicModule, HttpException, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../engine/ports/log.js';
import { CONTROLLERS, createAppModule, PROBES } from './app.module.js';
import { serveConsole, serveHelp } from './console/static-files.js';
import { apiPriority } from './engine.module.js';
import { registerBodyParsers } from './http/body-parsers.js';
import { Connections } from './http/connections.js';
import { MAX_REQUEST_HEAD } from './http/limits.js';
import { ProblemFilter, respondToMalformedRequest, respondToMalformedUrl } from './http/problem.filter.js';
import { createValidationPipe } from './http/validation.js';
import { serveAssistants } from './mcp/mcp-route.js';
import { serveApiDocs } from './openapi/document.js';
import { identifyCallers, recordRefusals, requireLocalHost } from './security/guards.js';
import { KeyRing } from './security/key-ring.js';
import { RefusedCalls } from './security/refused-calls.js';
import type { SignIn } from './sign-in/sign-in.js';
import { SIGN_IN } from './tokens.js';

/**
 * Headers of every response. Everything that the console and the API documentation need comes from this server; a
 * script, style or request for any other server is an attack.
 */
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      /** CodeMirror and Swagger UI set style attributes, which is harmless because styles cannot run code. */
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  /** The server speaks plain HTTP; an operator who puts TLS in front of it sets this header there. */
  strictTransportSecurity: false,
} as const;

/**
 * Time limit for a whole request to arrive, so that a client that sends a byte now and then cannot hold its connection
 * forever.
 */
const REQUEST_TIMEOUT_MS = 120_000;
/**
 * Time limit for the headers of a request to arrive. A silent connection is closed, too, since it counts toward
 * MAX_CONNECTIONS.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTION_CHECK_INTERVAL_MS = 2_000;

/** Maximum number of open connections, including event streams. */
const MAX_CONNECTIONS = 1_000;

/**
 * Creates the application, which does not listen yet. For `parts`, see createAppModule; without `api`, it serves only
 * probes and metrics.
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
      connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL_MS,
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
  const connections = new Connections(MAX_CONNECTIONS);
  connections.guard(fastify.server);
  prioritizeRequests(fastify);
  app.useSecurityHeaders(SECURITY_HEADERS);
  app.enableCsrfProtection();
  // Before keys are asked for: which methods a path has is no secret.
  refuseOtherMethods(fastify);
  const refusedCalls = app.get(RefusedCalls);
  recordRefusals(fastify, refusedCalls);
  const ring = app.get(KeyRing);
  if (ring.isOpen) requireLocalHost(fastify);
  identifyCallers(fastify, { ring, signIn: app.get<SignIn | undefined>(SIGN_IN), refusedCalls });
  connections.observe(fastify);
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

/** Lets requests overtake the results of the crawl; see ApiPriority. */
function prioritizeRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, _reply, done) => {
    apiPriority.startRequest();
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    apiPriority.endRequest();
    done();
  });
}

/**
 * Writes Nest's own messages to the server's log, except those about modules and routes, which are useless to
 * operators.
 */
class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {}

  debug(): void {}

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn(String(message), { nest: rest.at(-1) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    // The code that starts the server reports a port that cannot be opened.
    if (/^Error: listen E/.test(String(message))) return;
    this.target.error(String(message), { nest: rest.at(-1), error: message instanceof Error ? message : undefined });
  }
}

/**
 * Answers 405, with the methods in `Allow`, where a path has no such method, instead of 404. To be called before routes
 * are registered.
 */
function refuseOtherMethods(fastify: FastifyInstance): void {
  const routes: { readonly path: RegExp; readonly methods: readonly string[]; readonly endsInName: boolean }[] = [];
  fastify.addHook('onRoute', ({ url, method }) => {
    // Files of the console, whose paths are a pattern that matches everything.
    if (!url.includes('*'))
      routes.push({ path: toExpression(url), methods: [method].flat(), endsInName: !/:\w+$/.test(url) });
  });
  fastify.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    if (!request.is404 && !isTakenByMistake(request.routeOptions.url, path)) return;
    const matching = routes.filter((route) => route.path.test(path));
    // `/rules/move` is a path of its own, though `/rules/{index}` matches it.
    const own = matching.filter(({ endsInName }) => endsInName);
    const allowed = new Set((own.length > 0 ? own : matching).flatMap(({ methods }) => methods));
    if (allowed.size === 0 || allowed.has(request.method)) return;
    const list = [...allowed].sort().join(', ');
    reply.header('allow', list);
    throw new HttpException(`The path does not have the method ${request.method}; it has ${list}.`, 405);
  });
}

/** By the files of the console, which match every path, or by a route that ends in a number. */
const isTakenByMistake = (route: string | undefined, path: string): boolean =>
  route?.includes('*') || (/:(?:index|version|id)$/.test(route ?? '') && !/\/[\d.]+$/.test(path));

const toExpression = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`);
