import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ROLE_KEY } from '../http/operation.js';
import { type ApiKey, type Caller, findCaller, LOCAL_CALLER, mayAct, type Role } from './api-keys.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent: a stranger, whose key is missing or wrong. */
    caller?: Caller;
  }
}

const KEY_WANTED = 'An API key is wanted: `Authorization: Bearer KEY` or `X-API-Key: KEY`.';

/** Lets a call through when its role is declared and the caller has it. A call that declares none is refused to all. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const needed = this.reflector.get<Role | 'open' | undefined>(ROLE_KEY, context.getHandler());
    if (needed === 'open') return true;
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller) throw new UnauthorizedException(KEY_WANTED);
    if (!needed || !mayAct(caller, needed)) {
      throw new ForbiddenException(
        `The call wants the role ${needed ?? 'of nobody'}; ${caller.name} has ${caller.role}.`,
      );
    }
    return true;
  }
}

/**
 * Says of each request who makes it, before any guard is asked. A body is read before that too: from a stranger none is,
 * however many megabytes the call may take.
 */
export function identifyCallers(fastify: FastifyInstance, apiKeys: readonly ApiKey[]): void {
  fastify.addHook('onRequest', async (request) => {
    request.caller = callerOf(request, apiKeys);
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && !request.caller) throw new UnauthorizedException(KEY_WANTED);
  });
}

function callerOf(request: FastifyRequest, apiKeys: readonly ApiKey[]): Caller | undefined {
  if (apiKeys.length === 0) return LOCAL_CALLER;
  const presented = presentedKey(request);
  return presented === undefined ? undefined : findCaller(apiKeys, presented);
}

function presentedKey(request: FastifyRequest): string | undefined {
  const own = request.headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}
