import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  ServiceUnavailableException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { EngineApi } from '../../engine/engine-api.js';
import { ROLE_KEY } from '../http/operation.js';
import { ENGINE } from '../tokens.js';

/**
 * Refuses calls while the server is starting and does not know its crawlers yet: no response is better than a wrong
 * one. Probes are allowed.
 */
@Injectable()
export class OpenGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ENGINE) private readonly engine: EngineApi,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.engine.isOpen || this.reflector.get(ROLE_KEY, context.getHandler()) === 'open') return true;
    throw new ServiceUnavailableException('The server is starting. Try again.');
  }
}
