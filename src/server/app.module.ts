import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { CrawlersController } from './crawlers/crawlers.controller.js';
import { HealthController } from './health/health.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { AccessGuard } from './security/access.guard.js';
import { MediaTypeGuard } from './security/media-type.guard.js';
import { SessionController } from './session/session.controller.js';

/** Calls of one address in a minute: a console, a status table and a busy script together stay far below. */
const CALLS_PER_MINUTE = 12_000;

export const CONTROLLERS = [CrawlersController, HealthController, SessionController];

@Module({})
export class AppModule {
  static with(parts: DynamicModule): DynamicModule {
    return {
      module: AppModule,
      imports: [parts, ThrottlerModule.forRoot([{ ttl: 60_000, limit: CALLS_PER_MINUTE }])],
      controllers: CONTROLLERS,
      providers: [
        ProblemFilter,
        { provide: APP_GUARD, useClass: ThrottlerGuard },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: MediaTypeGuard },
        { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
      ],
    };
  }
}
