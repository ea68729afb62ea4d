import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiResponse } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import type { EngineApi } from '../../engine/engine-api.js';
import { Operation, TEXT_TYPE } from '../http/operation.js';
import { type Answer, list, oneOf, ownSchema, text } from '../http/schema.js';
import { EngineMetricsExporter } from '../metrics/engine-metrics.js';
import { ENGINE } from '../tokens.js';

const healthSchema = ownSchema('Health', {
  status: oneOf(['ok', 'unavailable']),
  reasons: list(
    text('the store is not responding: connect ECONNREFUSED 192.0.2.7:5432'),
    'What is not ready, in words; empty if everything is.',
  ),
});

type HealthAnswer = Answer<typeof healthSchema>;

@SkipThrottle()
@Controller('health')
export class HealthController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('live')
  @Operation({
    id: 'getLiveness',
    summary: 'Check whether the process is alive',
    description: 'Responds with 200 as long as the process can respond at all. If a probe fails, restart the process.',
    role: 'open',
  })
  @ApiOkResponse({ schema: healthSchema.ref })
  getLiveness(): HealthAnswer {
    return { status: 'ok', reasons: [] };
  }

  @Get('ready')
  @Operation({
    id: 'getReadiness',
    summary: 'Check whether the server is ready',
    description:
      'Responds with 200 if all crawlers are loaded and the store is responding, and otherwise with 503 and the reasons.',
    role: 'open',
  })
  @ApiOkResponse({ schema: healthSchema.ref })
  @ApiResponse({ status: 503, schema: healthSchema.ref, description: 'Not ready.' })
  async getReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthAnswer> {
    const { ready, reasons } = await this.engine.getReadiness();
    if (!ready) reply.status(503);
    return { status: ready ? 'ok' : 'unavailable', reasons };
  }
}

@SkipThrottle()
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(EngineMetricsExporter) private readonly exporter: EngineMetricsExporter) {}

  @Get()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  @Operation({
    id: 'getMetrics',
    summary: 'Prometheus metrics',
    description: 'Counters and gauges in the Prometheus text format.',
    role: 'read',
  })
  @ApiProduces(TEXT_TYPE)
  @ApiOkResponse({
    description: 'Metrics.',
    content: { [TEXT_TYPE]: { schema: { type: 'string' }, example: 'crawlway_active_fetches 3\n' } },
  })
  get(): Promise<string> {
    return this.exporter.toText();
  }
}
