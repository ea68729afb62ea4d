import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  ServiceUnavailableException,
  UnauthorizedException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EngineApi } from '../../engine/engine-api.js';
import { CONSUMES_KEY, CRAWLERS_KEY, ROLE_KEY } from '../http/operation.js';
import { ProblemException } from '../http/problem.js';
import { isLoopback } from '../options.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { ENGINE } from '../tokens.js';
import { type Caller, findCrawlers, findHighestGrant, type Role } from './api-keys.js';
import { type CrawlerScope, limitToCrawlers } from './crawler-scope.js';
import type { KeyRing } from './key-ring.js';
import type { RefusedCalls } from './refused-calls.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent if the key is missing or wrong. */
    caller?: Caller;
  }
}

const KEY_REQUIRED = 'An API key is required: `Authorization: Bearer KEY` or `X-API-Key: KEY`.';

/**
 * Allows a call if its role is declared and the caller has it, for all crawlers or for those that the call concerns. A
 * call that declares no role is refused to everyone.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const requiredRole = this.reflector.get<Role | 'open' | undefined>(ROLE_KEY, context.getHandler());
    if (requiredRole === 'open') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (!caller) throw new UnauthorizedException(KEY_REQUIRED);
    const crawlers = requiredRole && findCrawlers(caller, requiredRole);
    if (!crawlers) {
      throw new ForbiddenException(
        `The call requires the role ${requiredRole ?? '(no role may make it)'}; ${caller.name} has ${findHighestGrant(caller).role}.`,
      );
    }
    if (crawlers !== 'all') {
      const scope = this.reflector.get<CrawlerScope | undefined>(CRAWLERS_KEY, context.getHandler());
      limitToCrawlers(request, crawlers, scope);
    }
    return true;
  }
}

interface CallerSources {
  readonly ring: KeyRing;
  /** Absent if single sign-on is not configured. */
  readonly signIn?: SignIn;
}

/** Finds the caller of a request by the key or session in its headers, as both are now. */
export const identifyCaller = async (
  request: FastifyRequest,
  { ring, signIn }: CallerSources,
): Promise<Caller | undefined> =>
  (await ring.authenticate(findPresentedKey(request))) ?? (await signIn?.findCaller(request));

interface Identification extends CallerSources {
  readonly refusedCalls: RefusedCalls;
}

/**
 * Determines the caller of each request before any guard runs. Bodies are read before the guards run, too, so the body
 * of an unknown caller is refused here, whatever size the call allows.
 */
export function identifyCallers(fastify: FastifyInstance, { refusedCalls, ...sources }: Identification): void {
  fastify.addHook('onRequest', async (request, reply) => {
    request.caller = await identifyCaller(request, sources);
    if (!request.caller && findPresentedKey(request) !== undefined && !refusedCalls.consumeAttempt(request.ip)) {
      reply.header('retry-after', String(refusedCalls.retryAfter));
      throw new HttpException(
        'Too many calls with a wrong API key. Try again after the number of seconds in Retry-After.',
        429,
      );
    }
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && !request.caller && !acceptsOpenBody(request)) throw new UnauthorizedException(KEY_REQUIRED);
  });
}

/** Records each refused call, whichever guard or hook refused it. */
export function recordRefusals(fastify: FastifyInstance, refusedCalls: RefusedCalls): void {
  fastify.addHook('onResponse', async ({ ip, caller, method, url }, { statusCode: status }) => {
    if (!REFUSAL_STATUSES.has(status)) return;
    refusedCalls.record({
      status,
      address: ip,
      who: caller?.name,
      method,
      path: url.split('?', 1)[0]!.slice(0, MAX_PATH_LENGTH),
    });
  });
}

const REFUSAL_STATUSES = new Set([401, 403, 429]);
const MAX_PATH_LENGTH = 300;

/**
 * Sites report their URLs without an API key; their bodies are limited in size, and their calls are counted by
 * address.
 */
const acceptsOpenBody = ({ url }: FastifyRequest): boolean =>
  url.split('?', 1)[0] === '/indexnow' || url.startsWith('/websub/');

function findPresentedKey(request: FastifyRequest): string | undefined {
  const apiKeyHeader = request.headers['x-api-key'];
  if (typeof apiKeyHeader === 'string') return apiKeyHeader;
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Counts calls by key: someone who guesses keys only uses up the calls of their own address. */
@Injectable()
export class CallLimitGuard extends ThrottlerGuard {
  protected override async getTracker(request: FastifyRequest): Promise<string> {
    // The space distinguishes it from any address.
    return request.caller ? `key ${request.caller.name}` : super.getTracker(request);
  }

  protected override async getErrorMessage(_: ExecutionContext, { limit }: ThrottlerLimitDetail): Promise<string> {
    return `Too many calls: more than ${limit} of this kind within a minute. Try again after the number of seconds in Retry-After.`;
  }
}

/** A body must have one of the media types that the call declares, and be empty if the call reads none. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === undefined || request.body === null) return true;
    this.refuseIgnoredFields(context, request.body);
    const allowedTypes = this.reflector.get<readonly string[] | undefined>(CONSUMES_KEY, context.getHandler()) ?? [];
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    if (allowedTypes.includes(mediaType) || (mediaType === 'text/xml' && allowedTypes.includes('application/xml')))
      return true;
    throw new UnsupportedMediaTypeException(
      `The media type of the body is ${mediaType || 'missing'}; the call expects ${allowedTypes.join(' or ')}.`,
    );
  }

  /** A field that is ignored, such as the end of a pause, would do harm. */
  private refuseIgnoredFields(context: ExecutionContext, body: unknown): void {
    if (readsBody(context) || typeof body !== 'object' || body === null || Object.keys(body).length === 0) return;
    const errors = Object.keys(body).map((name) => ({ pointer: `/${name}`, detail: `the call has no field ${name}` }));
    throw new ProblemException('invalid-request', 'The call has no body: use the path and the query.', { errors });
  }
}

const readsBody = (context: ExecutionContext): boolean => {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as object;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
};

/**
 * Refuses calls while the server is starting and does not know its crawlers yet: no response is better than a wrong
 * one. Probes are allowed.
 */
@Injectable()
export class OpenGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ENGINE) private readonly engine: EngineApi,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.engine.isOpen || this.reflector.get(ROLE_KEY, context.getHandler()) === 'open') return true;
    throw new ServiceUnavailableException('The server is starting. Try again.');
  }
}

/**
 * Refuses calls that another site made a browser send. GET calls change nothing, but one of them makes the server
 * request a page from a web site. Browsers say in Sec-Fetch-Site whether another site caused the call; scripts and
 * tools do not send this header.
 */
@Injectable()
export class SameSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const fetchSite = context.switchToHttp().getRequest<FastifyRequest>().headers['sec-fetch-site'];
    if (fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none') return true;
    throw new ForbiddenException('Another site made the browser send the call.');
  }
}

/**
 * Without API keys, the server trusts everyone on this machine. A web page in a browser on this machine must not be
 * trusted, but it can send requests under a host name that it controls (DNS rebinding); the Host header reveals this.
 */
export function requireLocalHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request) => {
    const name = parseHostName(request.headers.host);
    if (name === undefined || isLoopback(name)) return;
    throw new ForbiddenException(
      `The server has no API keys and accepts requests only under this machine's own names, not under ${name}. Set CRAWLWAY_API_KEYS to allow other names.`,
    );
  });
}

/** The host name without the port; undefined if the header, which browsers always send, is missing. */
const parseHostName = (header: string | undefined): string | undefined => header?.replace(/:\d+$/, '');
