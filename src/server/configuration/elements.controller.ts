import { Controller, Get, Inject } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, CONFIGURATION_FORMAT } from '../tokens.js';
import type { AttributeForm, ConfigurationFormat, ElementForm } from './configuration-format.js';

class AttributeFormDto implements AttributeForm {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  meaning!: string;

  @ApiProperty({ description: 'Human-readable description of a valid value.' })
  form!: string;

  @ApiProperty({ required: false, type: [String], description: 'All possible values, if there are only a few.' })
  choices?: readonly string[];

  @ApiProperty({ required: false })
  default?: string;

  @ApiProperty({ required: false })
  unit?: string;

  @ApiProperty()
  required!: boolean;

  @ApiProperty({ description: 'Whether the value is secret: it is never shown, and a placeholder takes its place.' })
  secret!: boolean;

  @ApiProperty({ type: [String], description: 'Other names with the same meaning.' })
  aliases!: readonly string[];
}

class ElementFormDto implements ElementForm {
  @ApiProperty({ description: 'Name without a prefix; unique across all namespaces.' })
  name!: string;

  @ApiProperty()
  namespace!: string;

  @ApiProperty()
  meaning!: string;

  @ApiProperty({ type: [String], description: 'Elements that may appear inside this element.' })
  children!: readonly string[];

  @ApiProperty({ description: 'Whether the element may appear at most once in its parent.' })
  once!: boolean;

  @ApiProperty({ required: false, description: 'Meaning of the text inside the element, if text is allowed.' })
  text?: string;

  @ApiProperty({ type: [AttributeFormDto] })
  attributes!: readonly AttributeFormDto[];
}

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
  @PageResponse(ElementFormDto, 'All elements.')
  list(): Page<ElementFormDto> {
    return { items: this.format.listElements(), next: null };
  }
}
