import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import type { MapStep } from '../../domain/push/map-steps.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import { type EngineApi } from '../../engine/engine-api.js';
import { NotFound, Unacceptable } from '../../engine/support/api-errors.js';
import { IfGiven, IsListOf, IsText } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import { type Answer, listOfRequested, ownSchema, text } from '../http/schema.js';
import { API, ENGINE, MAP_DOCUMENT } from '../tokens.js';

/** Applies the steps. Throws an UnmappableValue whose message names the field and the value. */
export type DocumentMapper = (document: PushDocument, steps: readonly MapStep[]) => PushDocument;

const MAX_URL_LENGTH = 8_192;
const MAX_VALUE_LENGTH = 1_000_000;
const MAX_FIELDS = 1_000;
const MAX_SHOWN_TEXT = 2_000;

class FieldDto {
  @IsText({ example: 'department', maxLength: MAX_URL_LENGTH })
  name!: string;

  @IsText({ example: 'Sales', maxLength: MAX_VALUE_LENGTH })
  value!: string;
}

class MapPreviewRequestDto {
  @IsText({ required: false, description: 'The crawler that has indexed `url`.', example: 'docs' })
  crawler?: string;

  @IsText({
    required: false,
    description: 'URL of an indexed document, which is read from a sink of the crawler.',
    example: 'https://www.example.com/docs/start.html',
    maxLength: MAX_URL_LENGTH,
  })
  url?: string;

  @ApiProperty({
    required: false,
    type: () => [FieldDto],
    description: 'The fields of a document, as an alternative to a URL.',
  })
  @IfGiven()
  @IsListOf(() => FieldDto, MAX_FIELDS)
  fields?: FieldDto[];
}

const mapPreviewSchema = ownSchema('MapPreview', {
  before: listOfRequested(FieldDto, 'Fields of the document; `text` is the beginning of its text.'),
  after: listOfRequested(FieldDto, 'Fields as the sink receives them.').optional(),
  refusal: text(
    'field price: "unknown" is not a number',
    'Why the sink would refuse the document, with the name of the field.',
  ).optional(),
});

@Controller(`${API}/sinks`)
export class MappingController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(MAP_DOCUMENT) private readonly mapDocument: DocumentMapper,
  ) {}

  @Post(':sink/map/preview')
  @Operation({
    id: 'previewMap',
    summary: 'Preview what the Map elements of a sink do to a document',
    description:
      'Shows the effect on an indexed document, if a sink of its crawler returns documents, or on given fields. Nothing is sent.',
    role: 'read',
    writes: false,
    problems: {
      404: 'There is no such sink or crawler.',
      422: 'No sink of the crawler returns the document, or neither a URL nor fields were given.',
    },
  })
  @ApiOkResponse({ schema: mapPreviewSchema.ref })
  async preview(
    @Param('sink') name: string,
    @Body() request: MapPreviewRequestDto,
  ): Promise<Answer<typeof mapPreviewSchema>> {
    const sink = this.engine.definition.sinks.find((candidate) => candidate.name === name);
    if (!sink) throw new NotFound(`there is no sink ${JSON.stringify(name)}`);
    const document = await this.loadDocument(request);
    const before = listFields(document);
    try {
      return { before, after: listFields(this.mapDocument(document, sink.map ?? [])) };
    } catch (error) {
      if ((error as Error).name !== 'UnmappableValue') throw error;
      return { before, refusal: (error as Error).message };
    }
  }

  private async loadDocument({ crawler, url, fields }: MapPreviewRequestDto): Promise<PushDocument> {
    if (fields) return createDocument(fields);
    if (crawler === undefined || url === undefined)
      throw new Unacceptable('specify the crawler and the URL of a document, or `fields`');
    const document = await this.engine.urls.findKeptDocument(crawler, url);
    if (document) return document;
    throw new Unacceptable(
      `no sink of ${crawler} returns the document ${url}: it is not indexed, or its sinks do not return documents; specify \`fields\``,
    );
  }
}

function createDocument(fields: readonly Meta[]): PushDocument {
  const master = { bytes: new Uint8Array(), mimeType: 'text/html', fileName: '' };
  const text = fields.find(({ name }) => name === 'text')?.value ?? '';
  const metas = fields.filter(({ name }) => name !== 'text').map(({ name, value }) => ({ name, value }));
  return { uri: '', stamp: '', metas, master, text };
}

const listFields = ({ metas, text }: PushDocument): Meta[] =>
  text === '' ? [...metas] : [...metas, { name: 'text', value: text.slice(0, MAX_SHOWN_TEXT) }];
