import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { catchError, from, mergeMap, type Observable, throwError } from 'rxjs';
import { decodeLeniently, redact, redactDeep } from '../../domain/redact.js';
import type { Instant } from '../../domain/time/units.js';
import type { AuditLog } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import { OPERATION_KEY, WRITES_KEY } from '../http/operation.js';
import { findNamedCrawler } from '../security/crawler-scope.js';
import { AUDIT_LOG, CLOCK } from '../tokens.js';

/** Maximum number of characters of a value that are kept in one entry. */
const MAX_VALUE = 4000;
/** Milliseconds within which repeated read-only calls by one caller result in a single entry. */
const CHECK_INTERVAL = 60_000;

/**
 * Writes an entry for each call that changes something, successful or not, before the caller gets the response; also
 * for calls that could be used to probe for information, such as checking a configuration.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  /** When each read-only call was last recorded; there is only a handful for each key. */
  private readonly lastRecordedAt = new Map<string, Instant>();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AUDIT_LOG) private readonly log: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const operation = this.reflector.get<string>(OPERATION_KEY, context.getHandler());
    const isWrite = this.reflector.get<boolean>(WRITES_KEY, context.getHandler());
    if (
      request.method === 'GET' ||
      request.method === 'HEAD' ||
      (!isWrite && this.registerRepeatedCheck(request, operation))
    )
      return next.handle();
    return next.handle().pipe(
      mergeMap((result) => from(this.record(request, operation, 'done').then(() => result))),
      catchError((error: Error) =>
        from(this.record(request, operation, `failed: ${error.message}`)).pipe(mergeMap(() => throwError(() => error))),
      ),
    );
  }

  /**
   * Registers a check, and returns whether the caller made the same one a moment ago. The console checks input as it is
   * typed, which must not push writes out of the log.
   */
  private registerRepeatedCheck(request: FastifyRequest, operation: string): boolean {
    const key = `${operation} ${getCallerName(request)}`;
    const now = this.clock.now();
    const recordedAt = this.lastRecordedAt.get(key);
    if (recordedAt !== undefined && now - recordedAt < CHECK_INTERVAL) return true;
    this.lastRecordedAt.set(key, now);
    return false;
  }

  private async record(request: FastifyRequest, operation: string, outcome: string): Promise<void> {
    const limit = [...(request.crawlers ?? [])];
    const crawler = findNamedCrawler(request) ?? (limit.length === 1 ? limit[0] : undefined);
    await this.log.append({
      at: this.clock.now(),
      who: getCallerName(request),
      what: operation,
      target: truncate(redact(decodeLeniently(redact(request.url)))),
      ...(crawler === undefined ? {} : { crawler }),
      outcome: truncate(redact(outcome)),
      before: truncate(toRedactedJson(request.changeNote?.before)),
      after: truncate(toRedactedJson(request.changeNote?.after)),
    });
  }
}

const getCallerName = (request: FastifyRequest): string => request.caller?.name ?? 'nobody';

const toRedactedJson = (value: unknown): string => (value === undefined ? '' : JSON.stringify(redactDeep(value)));

const truncate = (text: string): string => (text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`);
