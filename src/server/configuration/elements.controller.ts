import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, CONFIGURATION_FORMAT } from '../tokens.js';
import type { ConfigurationFormat } from './configuration-format.js';
import { type ElementForm, elementFormSchema } from './element.schema.js';

@ApiTags('Configuration')
@Controller(`${API}/config/elements`)
export class ElementsController {
  constructor(@Inject(CONFIGURATION_FORMAT) private readonly format: ConfigurationFormat) {}

  @Get()
  @Operation({
    id: 'listElements',
    summary: 'What can be written in CrawlConfig.xml',
    description: 'Elements with their attributes, values and defaults: the table from which forms are built.',
    role: 'read',
  })
  @PageResponse(elementFormSchema, 'All elements.')
  list(): Page<ElementForm> {
    return { items: this.format.listElements(), next: null };
  }
}
