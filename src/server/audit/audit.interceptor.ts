import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { catchError, from, mergeMap, type Observable, throwError } from 'rxjs';
import type { Clock } from '../../engine/ports/clock.js';
import { OPERATION_KEY, WRITES_KEY } from '../http/operation.js';
import { AUDIT_LOG, CLOCK } from '../tokens.js';
import type { AuditLog } from './audit-log.js';

/** Characters of a value that one entry keeps. */
const MAX_VALUE = 4000;

/** Writes one entry for each call that changes something, done or failed, before the caller gets the answer. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AUDIT_LOG) private readonly log: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (
      request.method === 'GET' ||
      request.method === 'HEAD' ||
      !this.reflector.get<boolean>(WRITES_KEY, context.getHandler())
    )
      return next.handle();
    const operation = this.reflector.get<string>(OPERATION_KEY, context.getHandler());
    return next.handle().pipe(
      mergeMap((answer) => from(this.write(request, operation, 'done').then(() => answer))),
      catchError((error: Error) =>
        from(this.write(request, operation, `failed: ${error.message}`)).pipe(mergeMap(() => throwError(() => error))),
      ),
    );
  }

  private async write(request: FastifyRequest, operation: string, outcome: string): Promise<void> {
    await this.log.append({
      at: this.clock.now(),
      who: request.caller?.name ?? 'nobody',
      what: operation,
      target: bounded(decoded(request.url)),
      outcome: bounded(outcome),
      before: bounded(asText(request.changeNote?.before)),
      after: bounded(asText(request.changeNote?.after)),
    });
  }
}

const asText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** Without user and password of URLs, which nobody who reads the log is to see. */
const bounded = (text: string): string => {
  const clean = text.slice(0, MAX_VALUE).replace(/\/\/[^/@\s"]*@/g, '//');
  return text.length <= MAX_VALUE ? clean : `${clean}…`;
};

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
