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
    const allowedTypes = this.reflector.get<readonly string[] | undefined>(CONSUMES_KEY, context.getHandler()) ?? [];
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    if (allowedTypes.includes(mediaType) || (mediaType === 'text/xml' && allowedTypes.includes('application/xml')))
      return true;
    throw new UnsupportedMediaTypeException(
      `The media type of the body is ${mediaType || 'missing'}; the call expects ${allowedTypes.join(' or ')}.`,
    );
  }
}
