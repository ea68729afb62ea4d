import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { EngineApi } from '../engine/engine-api.js';
import type { AuditLog, KeyStore, SessionStore } from '../engine/ports/administration.js';
import type { Clock } from '../engine/ports/clock.js';
import type { Log } from '../engine/ports/log.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { KeyDirectoryController } from './bot-auth/key-directory.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ConfigurationController } from './configuration/configuration.controller.js';
import { ConfigurationService } from './configuration/configuration.service.js';
import { ResolvedController } from './configuration/resolved.controller.js';
import { RulesController } from './configuration/rules.controller.js';
import { VersionsController } from './configuration/versions.controller.js';
import { WeightsController } from './configuration/weights.controller.js';
import { CrawlersController } from './crawlers/crawlers.controller.js';
import { FormerCrawlersController } from './crawlers/former-crawlers.controller.js';
import { EventsController } from './events/events.controller.js';
import { HealthController, MetricsController } from './health/probes.controller.js';
import { HistoryController } from './history/history.controller.js';
import { HistoryRecorder } from './history/history-recorder.js';
import { HostsController } from './hosts/hosts.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { IndexNowController } from './indexnow/indexnow.controller.js';
import { KeysController, SessionController } from './keys/keys.controller.js';
import { LoginsController } from './logins/logins.controller.js';
import { EngineMetricsExporter } from './metrics/engine-metrics.js';
import type { ServerOptions } from './options.js';
import { HeldDeletionsController } from './orders/held-deletions.controller.js';
import { OrdersController } from './orders/orders.controller.js';
import { PendingController } from './pending/pending.controller.js';
import { PluginsController } from './plugins/plugins.controller.js';
import { ElementsController, ReasonsController } from './registry/registry.controller.js';
import { MovesController } from './roots/moves.controller.js';
import { RootsController } from './roots/roots.controller.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { SecretsService } from './secrets/secrets.service.js';
import { ItemScope } from './security/crawler-scope.js';
import { AccessGuard, CallLimitGuard, MediaTypeGuard, OpenGuard } from './security/guards.js';
import { KeyRing } from './security/key-ring.js';
import { RefusedCalls } from './security/refused-calls.js';
import { SearchShare } from './security/search-share.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.js';
import { MappingController } from './sinks/mapping.controller.js';
import { SinksController } from './sinks/sinks.controller.js';
import { AUDIT_LOG, CLOCK, ENGINE, KEY_STORE, LOG, OPTIONS, SESSION_STORE, SIGN_IN } from './tokens.js';
import { CoverageController } from './urls/coverage.controller.js';
import { ErrorsController } from './urls/errors.controller.js';
import { ExportController } from './urls/export.controller.js';
import { PolicyController } from './urls/policy.controller.js';
import { UrlsController } from './urls/urls.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { WebSubController } from './websub/websub.controller.js';

export const CONTROLLERS = [
  AuditController,
  ChangesController,
  UsageController,
  ConfigurationController,
  CoverageController,
  CrawlersController,
  ElementsController,
  ErrorsController,
  EventsController,
  ExportController,
  FormerCrawlersController,
  HealthController,
  HeldDeletionsController,
  MovesController,
  HistoryController,
  HostsController,
  IndexNowController,
  WebSubController,
  KeyDirectoryController,
  KeysController,
  LoginsController,
  PluginsController,
  MappingController,
  MetricsController,
  OrdersController,
  PendingController,
  PolicyController,
  ReasonsController,
  ResolvedController,
  RootsController,
  RulesController,
  SecretsController,
  SessionController,
  SignInController,
  SinksController,
  UrlsController,
  VersionsController,
  WeightsController,
];

/** The only controllers of a node without the role `api`. */
export const PROBES = [HealthController, MetricsController];

const callLimit = ThrottlerModule.forRootAsync({
  inject: [OPTIONS],
  useFactory: ({ callsPerMinute }: ServerOptions) => [{ ttl: 60_000, limit: callsPerMinute }],
});

@Module({})
class AppModule {}

/** @param parts provides a value for each of PART_TOKENS. */
export const createAppModule = (parts: DynamicModule, controllers: Type[] = CONTROLLERS): DynamicModule => ({
  module: AppModule,
  imports: [parts, callLimit],
  controllers,
  providers: [
    ConfigurationService,
    SecretsService,
    HistoryRecorder,
    ProblemFilter,
    {
      provide: RefusedCalls,
      inject: [CLOCK, LOG, AUDIT_LOG],
      useFactory: (clock: Clock, log: Log, audit: AuditLog) => new RefusedCalls(clock, log, audit),
    },
    {
      provide: EngineMetricsExporter,
      inject: [ENGINE, RefusedCalls, OPTIONS],
      useFactory: (engine: EngineApi, refusedCalls: RefusedCalls, { dataDirectory }: ServerOptions) =>
        new EngineMetricsExporter(engine, refusedCalls.counts, dataDirectory),
    },
    {
      provide: KeyRing,
      inject: [OPTIONS, KEY_STORE, CLOCK, LOG],
      useFactory: ({ apiKeys, oidc }: ServerOptions, store: KeyStore, clock: Clock, log: Log) =>
        new KeyRing(apiKeys, store, { clock, log, closed: oidc !== undefined }),
    },
    {
      provide: SIGN_IN,
      inject: [OPTIONS, SESSION_STORE, CLOCK],
      useFactory: ({ oidc, publicUrl }: ServerOptions, store: SessionStore, clock: Clock) =>
        oidc && new SignIn(oidc, clock, store, publicUrl),
    },
    { provide: APP_GUARD, useClass: CallLimitGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: OpenGuard },
    { provide: APP_GUARD, useClass: MediaTypeGuard },
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: APP_INTERCEPTOR, useClass: SearchShare },
    { provide: APP_INTERCEPTOR, useClass: ItemScope },
  ],
});
