/**
 * Refuses calls that another site made a browser send. GET calls change nothing, but one of them makes the server
 * request a page from a web site. Browsers say in Sec-Fetch-Site whether another site caused the call; scripts and
 * tools do not send this header.
 */
import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

@Injectable()
export class SameSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const fetchSite = context.switchToHttp().getRequest<FastifyRequest>().headers['sec-fetch-site'];
    if (fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none') return true;
    throw new ForbiddenException('Another site made the browser send the call.');
  }
}
