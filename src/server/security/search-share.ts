import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, from, mergeMap, type Observable } from 'rxjs';
import { SEARCHES_KEY } from '../http/operation.js';

/** Searches of one key that the store processes at the same time: the next ones in its queue belong to others. */
const AT_ONCE = 2;
/** Calls of one key that wait for these; a console makes a handful. */
const MOST_WAITING = 50;

/** The searches of one key. */
interface Share {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * A search through all stored URLs occupies the store for a tenth of a second, and the store answers in order. Each key has a
 * share, so that many searches of one do not hold up the lists of others; a call whose client has disconnected is not made at all.
 */
@Injectable()
export class SearchShare implements NestInterceptor {
  private readonly shares = new Map<string, Share>();

  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!this.reflector.get<boolean>(SEARCHES_KEY, context.getHandler())) return next.handle();
    const http = context.switchToHttp();
    const key = http.getRequest<FastifyRequest>().caller?.name ?? '';
    return from(this.acquire(key, http.getResponse<FastifyReply>())).pipe(
      mergeMap(() => next.handle().pipe(finalize(() => this.release(key)))),
    );
  }

  /** @throws HttpException 429 if too many wait, 499 if the client disconnected meanwhile. */
  async acquire(key: string, { raw }: Pick<FastifyReply, 'raw'>): Promise<void> {
    const share = this.shares.get(key) ?? { running: 0, waiting: new Set() };
    this.shares.set(key, share);
    if (share.running < AT_ONCE) {
      share.running++;
      return;
    }
    if (share.waiting.size >= MOST_WAITING)
      throw new HttpException(
        `More than ${MOST_WAITING} searches of one key are already waiting. Try again later.`,
        429,
      );
    await new Promise<void>((resolve, reject) => {
      const onDisconnect = (): void => {
        share.waiting.delete(onTurn);
        reject(new HttpException('The client has closed the connection.', 499));
      };
      // A call that ends passes its place on, so `running` is unchanged.
      const onTurn = (): void => {
        raw.off('close', onDisconnect);
        resolve();
      };
      share.waiting.add(onTurn);
      raw.once('close', onDisconnect);
    });
  }

  release(key: string): void {
    const share = this.shares.get(key);
    if (!share) return;
    const [next] = share.waiting;
    if (next) {
      share.waiting.delete(next);
      next();
    } else if (--share.running === 0) this.shares.delete(key);
  }
}
