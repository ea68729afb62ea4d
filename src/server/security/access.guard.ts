import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ROLE_KEY } from '../http/operation.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { type Caller, hasRole, type Role } from './api-keys.js';
import type { KeyRing } from './key-ring.js';
import type { RefusedCalls } from './refused-calls.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent if the key is missing or wrong. */
    caller?: Caller;
  }
}

const KEY_REQUIRED = 'An API key is required: `Authorization: Bearer KEY` or `X-API-Key: KEY`.';

/** Allows a call if its role is declared and the caller has it. A call that declares no role is refused to everyone. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const requiredRole = this.reflector.get<Role | 'open' | undefined>(ROLE_KEY, context.getHandler());
    if (requiredRole === 'open') return true;
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller) throw new UnauthorizedException(KEY_REQUIRED);
    if (!requiredRole || !hasRole(caller, requiredRole)) {
      throw new ForbiddenException(
        `The call requires the role ${requiredRole ?? '(no role may make it)'}; ${caller.name} has ${caller.role}.`,
      );
    }
    return true;
  }
}

interface Identification {
  readonly ring: KeyRing;
  /** Absent if single sign-on is not configured. */
  readonly signIn?: SignIn;
  readonly refusedCalls: RefusedCalls;
}

/**
 * Determines the caller of each request before any guard runs. Bodies are read before the guards run, too, so the body
 * of an unknown caller is refused here, whatever size the call allows.
 */
export function identifyCallers(fastify: FastifyInstance, { ring, signIn, refusedCalls }: Identification): void {
  fastify.addHook('onRequest', async (request, reply) => {
    request.caller = (await ring.authenticate(findPresentedKey(request))) ?? (await signIn?.findCaller(request));
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
const acceptsOpenBody = ({ method, url }: FastifyRequest): boolean =>
  method === 'POST' && (url.split('?', 1)[0] === '/indexnow' || url.startsWith('/websub/'));

function findPresentedKey(request: FastifyRequest): string | undefined {
  const apiKeyHeader = request.headers['x-api-key'];
  if (typeof apiKeyHeader === 'string') return apiKeyHeader;
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}
