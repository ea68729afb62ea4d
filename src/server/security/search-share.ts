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

/**
 * Maximum number of searches that the store processes at the same time for one key, so that those of other keys come
 * next in its queue.
 */
const MAX_RUNNING = 2;
/** Maximum number of calls of one key that wait for these; a console makes a handful. */
const MAX_WAITING = 50;

/** The searches of one key. */
interface Share {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits the concurrent searches of each key. A search through all stored URLs occupies the store for a tenth of a
 * second, and the store processes requests in order, so many searches of one key would hold up those of others. A call
 * whose client has disconnected is dropped.
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

  /** @throws HttpException 429 if too many are waiting, 499 if the client disconnected in the meantime. */
  async acquire(key: string, { raw }: Pick<FastifyReply, 'raw'>): Promise<void> {
    const share = this.shares.get(key) ?? { running: 0, waiting: new Set() };
    this.shares.set(key, share);
    if (share.running < MAX_RUNNING) {
      share.running++;
      return;
    }
    if (share.waiting.size >= MAX_WAITING)
      throw new HttpException(`${MAX_WAITING} searches of this key are already waiting. Try again later.`, 429);
    await new Promise<void>((resolve, reject) => {
      const onDisconnect = (): void => {
        share.waiting.delete(onTurn);
        reject(new HttpException('The client has closed the connection.', 499));
      };
      // A call that ends hands its place over, so `running` is unchanged.
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
