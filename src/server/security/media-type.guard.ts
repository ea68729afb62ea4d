import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { CONSUMES_KEY } from '../http/operation.js';

/** A body must have one of the media types that the call declares. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === undefined || request.body === null) return true;
    const allowed = this.reflector.get<readonly string[] | undefined>(CONSUMES_KEY, context.getHandler()) ?? [];
    const given = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    if (allowed.includes(given) || (given === 'text/xml' && allowed.includes('application/xml'))) return true;
    throw new UnsupportedMediaTypeException(
      `The body is ${given || 'of no type'}; the call expects ${allowed.join(' or ')}.`,
    );
  }
}
