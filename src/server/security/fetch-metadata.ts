/**
 * Refuses calls that another site made a browser send. A GET changes nothing here, but one of them requests a page from
 * a web site. In Sec-Fetch-Site a browser says whether another site caused the call; scripts and tools send no such
 * header.
 */
import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

@Injectable()
export class SameSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const from = context.switchToHttp().getRequest<FastifyRequest>().headers['sec-fetch-site'];
    if (from === undefined || from === 'same-origin' || from === 'none') return true;
    throw new ForbiddenException('The call changes something, but another site made the browser send it.');
  }
}
