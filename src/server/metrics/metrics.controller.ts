import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { Registry } from 'prom-client';
import { Operation, TEXT_TYPE } from '../http/operation.js';
import { EngineMetricsExporter } from './engine-metrics.js';

@ApiTags('Health')
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
