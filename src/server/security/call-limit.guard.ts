import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';

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
